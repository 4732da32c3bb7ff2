/** A server that listens, whoever wrote it. */
export interface RunningServer {
  readonly name: string
  readonly origin: string
  /** For `Authorization: Bearer`. */
  readonly key: string
  readonly pid: number
  /** CPU that its database, where that is a process of its own, has used so far, in µs. */
  readonly databaseCpu?: () => number | undefined
  /** How many facts of ours it has kept, once it has ended; undefined when it keeps none. */
  readonly stored?: () => number
  end(): Promise<void>
}
