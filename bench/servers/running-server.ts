/** A server that is listening: the product or a peer. */
export interface RunningServer {
  readonly name: string
  readonly origin: string
  /** The key for `Authorization: Bearer`. */
  readonly key: string
  readonly pid: number
  /** Returns the CPU time of its database so far, in µs. Absent when the database is not a separate process. */
  readonly databaseCpu?: () => number | undefined
  /** Returns the number of stored facts, after the server has ended. Absent for a server that stores nothing. */
  readonly stored?: () => number
  end(): Promise<void>
}
