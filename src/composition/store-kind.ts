import type { CommitObserver } from '../adapters/sqlite/ports/commit-observer.js'
import type { Erasable } from '../application/erasing/ports/erasable.js'
import type { FactLog } from '../application/facts/ports/fact-log.js'
import type { LastFactReader, StreamReader } from '../application/ports/exact-appends.js'
import type { LimitedStore } from '../application/recording/limit-in-flight.js'
import type { FactSource, FactTarget } from '../application/migration/ports/fact-copy.js'
import type { Log } from '../application/ports/log.js'
import type { ReadModel } from '../application/reading/ports/read-model.js'
import type { StoreHealth, StoreTime } from '../application/recording/ports/event-store.js'

/** An open store with its ports. */
export interface OpenStore extends LimitedStore, StreamReader, LastFactReader, StoreHealth {
  /** The clock of the store. Undefined when the store uses the clock of this process. */
  readonly time: StoreTime | undefined
  /** The fact log of a store that only this thread can read. Undefined for other stores. */
  readonly log: (FactLog & StreamReader) | undefined
  /** The memory of a `CommitSignal`, for a store whose file other threads read. Undefined for other stores. */
  readonly commitMemory: SharedArrayBuffer | undefined
  /** Undefined when the store can erase no entity. */
  readonly erasable: Erasable | undefined
  /**
   * Passes the read model to the store. The store looks up an idempotency key in the read model
   * when its facts are too old for a search in the store. Called once, when the read model is open
   * and before the first append. Never called when the read model is off.
   */
  findKeysIn(readModel: Pick<ReadModel, 'query'>): void
  /** Waits for running operations, then releases all resources. */
  close(): Promise<void>
}

interface StoreOptions {
  readonly url: string
  /** The timeout of an append, in milliseconds. */
  readonly timeoutMs: number
  readonly log: Log
  /** Whether erasing is on. */
  readonly erases: boolean
  /** The files of the read model. The store searches them for remains of erased entities. */
  readonly readModelFiles: readonly string[]
  /** Call it once, when this process can never append to the store again. */
  readonly onLost: (reason: string) => void
  /** Returns the observer of commits, for a store that performs its own commits. */
  readonly commits: () => CommitObserver
}

export interface StoreKind {
  /** The kind of the store in one word, which `GET /status` returns. */
  readonly name: string
  readonly form: string
  accepts(url: string): boolean
  /** Whether several processes may use one store at the same time. */
  readonly isShared: boolean
  /** Returns the URL without secrets, for logs. */
  shown(url: string): string
  /** Opens the store. Throws `StoreNotOpened`. */
  open(options: StoreOptions): Promise<OpenStore>
  /** Reads facts from another thread. Absent when only the thread that opened the store can read it. */
  readonly reads?: StoreReads
  /** Copies facts from and to the store. Absent when the store loses its facts at the end of the process. */
  readonly copies?: StoreCopies
}

interface StoreReads {
  /** Opens the fact log. The first read connects to the store. */
  openLog(options: LogOptions): Promise<FactLog & StreamReader>
  /** Returns the file that contains the facts, for a store in a local file. The file may not exist yet. */
  factsFile(url: string): string | undefined
  files(url: string): readonly string[]
}

export interface LogOptions {
  readonly url: string
  /** The timeout of a reply of the store, in milliseconds. */
  readonly timeoutMs: number
  readonly commitMemory: SharedArrayBuffer | undefined
}

/**
 * Opens a store as the source or target of a copy. Both methods may throw `StoreNotOpened`. In that
 * case they have changed nothing.
 */
interface StoreCopies {
  /** Opens the source of a copy. Absent when the store can only be a target. */
  from?(url: string): Promise<FactSource>
  to(url: string): Promise<FactTarget>
}
