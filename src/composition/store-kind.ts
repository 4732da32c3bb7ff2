import type { CommitObserver } from '../adapters/sqlite/ports/commit-observer.js'
import type { ErasableStreams } from '../application/erasing/ports/erasable-streams.js'
import type { FactLog } from '../application/facts/ports/fact-log.js'
import type { StreamReader } from '../application/ports/exact-appends.js'
import type { LimitedStore } from '../application/recording/limit-in-flight.js'
import type { FactSource, FactTarget } from '../application/migration/ports/fact-copy.js'
import type { Log } from '../application/ports/log.js'
import type { ReadModel } from '../application/reading/ports/read-model.js'
import type { StoreHealth, StoreTime } from '../application/recording/ports/event-store.js'

/** A store that is open: its ports, and its end. One that has a clock of its own gives its time. */
export interface OpenStore extends LimitedStore, StreamReader, StoreHealth, Partial<StoreTime> {
  /** Its facts, of a store that only this thread can read. */
  readonly log?: FactLog
  /** Memory of a `CommitSignal`, of a store that other threads read from its file. */
  readonly commitMemory?: SharedArrayBuffer
  /** How persons are erased in it; absent of a store that erases nobody. */
  readonly erasable?: ErasableStreams
  /**
   * Gives a store that cannot find the key of an old fact by itself the read model that follows it, and
   * can. Called once, when that is open, before the first append; never where the read model is off.
   */
  findKeysIn?(readModel: Pick<ReadModel, 'query'>): void
  /** Waits for what is under way, then lets everything go. */
  close(): Promise<void>
}

interface StoreOptions {
  readonly url: string
  /** How long an append may take, in milliseconds. */
  readonly timeoutMs: number
  readonly log: Log
  /** Whether persons are erased, of a store of which that has to be said. */
  readonly erases: boolean
  /** The files of the read model, of which the store looks whether an erased person is still in them. */
  readonly readModelFiles: readonly string[]
  /** To be called once when the store can never take an append again in this process. */
  readonly onLost: (reason: string) => void
  /** Who hears of commits; only of a store that makes its own. */
  readonly commits: () => CommitObserver
}

export interface StoreKind {
  /** In one word, as `GET /status` gives it. */
  readonly name: string
  readonly form: string
  accepts(url: string): boolean
  /** The URL as the log may show it: without secrets. */
  shown(url: string): string
  /** Throws `StoreNotOpened`. */
  open(options: StoreOptions): Promise<OpenStore>
  /** How its facts are read in another thread; absent of a store that only the thread that opened it can read. */
  readonly reads?: StoreReads
  /** How facts are copied out of it or into it; absent of a store that nothing outlives. */
  readonly copies?: StoreCopies
}

interface StoreReads {
  /** Connects at its first call. */
  openLog(options: LogOptions): Promise<FactLog>
  /** The file that holds the facts, of a store that is a file here; it may not be there yet. */
  factsFile(url: string): string | undefined
  files(url: string): readonly string[]
}

export interface LogOptions {
  readonly url: string
  /** How long the store may take to answer, in milliseconds. */
  readonly timeoutMs: number
  readonly commitMemory: SharedArrayBuffer | undefined
}

/** Both throw `StoreNotOpened`; then nothing was changed. */
interface StoreCopies {
  /** Absent of a store that is only a target. */
  from?(url: string): Promise<FactSource>
  to(url: string): Promise<FactTarget>
}
