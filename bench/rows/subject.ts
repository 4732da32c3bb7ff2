/**
 * What one slice showed. Times in milliseconds for each request, CPU in µs for each fact: a request
 * stores one, a batch as many as it has items, and a read is counted as one.
 */
export interface Slice {
  readonly facts: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Of the process that is measured, its threads included; undefined where there is no /proc. */
  readonly cpu: number | undefined
  /** Of its database, where that is processes of its own. */
  readonly databaseCpu: number | undefined
  /** Of the process that made the load, when that is another one. */
  readonly loadCpu: number | undefined
}

/** One side of a pair: it stays up, and is under load during its slices only. */
export interface Subject {
  readonly name: string
  /** Throws when an answer is not the one that is due. */
  slice(seconds: number): Promise<Slice>
  /** In MB. */
  rss(): number | undefined
  /** Throws when it did not keep what it acknowledged. */
  end(): Promise<void>
}
