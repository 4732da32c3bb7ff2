/** How long a closed stream is skipped. */
const closedMs = 60_000
/**
 * The number of lost appends at one revision after which a stream is closed. If another process were
 * appending, the revision would have moved long before.
 */
const lossesToClose = 5

/**
 * Streams that are skipped because appends fail: they were removed, or contain facts that this program does
 * not read.
 */
export class ClosedStreams {
  private readonly until = new Map<string, number>()
  private readonly losses = new Map<string, { readonly revision: number; readonly times: number }>()

  /** The streams to skip. `now` is in milliseconds since 1970. */
  now(now: number): readonly string[] {
    return [...this.until].flatMap(([stream, until]) => (now < until ? [stream] : []))
  }

  /** Closes a stream. Returns false if it was closed before. */
  close(stream: string, now: number): boolean {
    const isNew = !this.until.has(stream)
    this.until.set(stream, now + closedMs)
    this.losses.delete(stream)
    return isNew
  }

  /** Records a lost append. Returns true once too many appends were lost at the same revision. */
  isLostAgain(stream: string, revision: number): boolean {
    const before = this.losses.get(stream)
    const times = before?.revision === revision ? before.times + 1 : 1
    this.losses.set(stream, { revision, times })
    return times >= lossesToClose
  }
}
