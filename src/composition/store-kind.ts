import type { CommitObserver } from '../adapters/sqlite/ports/commit-observer.js'
import type { LimitedStore } from '../application/recording/limit-in-flight.js'
import type { FactSource } from '../application/migration/ports/fact-source.js'
import type { FactTarget } from '../application/migration/ports/fact-target.js'
import type { Log } from '../application/ports/log.js'
import type { StoreHealth } from '../application/recording/ports/store-health.js'

/** A store that is open: both of its ports, and its end. */
export interface OpenStore extends LimitedStore, StoreHealth {
  /** Waits for what is under way, then lets everything go. */
  close(): Promise<void>
}

export interface StoreOptions {
  readonly url: string
  /** How long an append may take, in milliseconds. */
  readonly timeoutMs: number
  readonly log: Log
  /** To be told once when the store can never take an append again in this process. */
  readonly onLost: (reason: string) => void
  /** Asked for by a store that makes its own commits: who hears of them. */
  readonly commits: () => CommitObserver
}

/** One technology that can keep facts. */
export interface StoreKind {
  /** How its URL looks, for people. */
  readonly form: string
  accepts(url: string): boolean
  /** The URL as the log may show it: without secrets. */
  shown(url: string): string
  /** Throws `StoreNotOpened`. */
  open(options: StoreOptions): Promise<OpenStore>
  /** How facts are copied out of it and into it; absent of a store that nothing outlives. */
  readonly copies?: StoreCopies
}

/** Both throw `StoreNotOpened`; then nothing was changed. */
export interface StoreCopies {
  from(url: string): Promise<FactSource>
  to(url: string): Promise<FactTarget>
}
