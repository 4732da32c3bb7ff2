/**
 * The result of one slice. Times are in milliseconds per request. CPU times are in µs per fact: a request stores
 * one fact, a batch one per item, and a read counts as one.
 */
export interface Slice {
  readonly facts: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** The CPU time of the measured process with its threads. Undefined without /proc. */
  readonly cpu: number | undefined
  /** The CPU time of its database, if the database has its own processes. */
  readonly databaseCpu: number | undefined
  /** The CPU time of the load process, if it is separate. */
  readonly loadCpu: number | undefined
}

/** One side of a comparison. It runs all the time, and is under load only during its slices. */
export interface Subject {
  readonly name: string
  /** Runs a slice. Throws when an answer is wrong. */
  slice(seconds: number): Promise<Slice>
  /** Returns the resident memory in MB. */
  rss(): number | undefined
  /** Ends the subject. Throws when acknowledged facts are missing. */
  end(): Promise<void>
}
