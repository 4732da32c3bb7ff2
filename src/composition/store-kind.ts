import type { CommitObserver } from '../adapters/sqlite/commit-observer.js'
import type { EventStore } from '../application/ports/event-store.js'
import type { FactSource } from '../application/ports/fact-source.js'
import type { FactTarget } from '../application/ports/fact-target.js'
import type { Log } from '../application/ports/log.js'
import type { StoreHealth } from '../application/ports/store-health.js'

/** A store that is open: both of its ports, and its end. */
export interface OpenStore extends EventStore, StoreHealth {
  /** Waits for what is under way, then lets everything go. */
  close(): Promise<void>
  /** Appends that wait for the store's writer; absent of a store without one. */
  readonly queued?: number
  /** Settles at once what is known and not told yet; absent of a store that tells at once. */
  catchUp?(): void
}

export interface StoreOptions {
  readonly url: string
  /** How long an append may take, in milliseconds. */
  readonly timeoutMs: number
  /** How many appends may be under way. */
  readonly maxInFlight: number
  readonly log: Log
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
