/** The time for which a closed stream is skipped, in milliseconds. */
const closedMs = 60_000
/**
 * The number of appends that fail at one expected revision before their stream is closed. If
 * another process had appended, the stream would have another revision after the first failure.
 */
const lossesToClose = 5

/**
 * The streams that the publisher skips, because appends to them fail. Such a stream was removed, or
 * contains facts that this program cannot read.
 */
export class ClosedStreams {
  private readonly until = new Map<string, number>()
  private readonly losses = new Map<string, { readonly revision: number; readonly times: number }>()

  /** Returns the streams to skip. `now` is in milliseconds since 1970. */
  now(now: number): readonly string[] {
    return [...this.until].flatMap(([stream, until]) => (now < until ? [stream] : []))
  }

  /** Closes a stream. Returns true if the stream was never closed before. */
  close(stream: string, now: number): boolean {
    const isNew = !this.until.has(stream)
    this.until.set(stream, now + closedMs)
    this.losses.delete(stream)
    return isNew
  }

  /**
   * Records that an append failed because the stream had another revision. Returns true when too
   * many appends have failed at one expected revision.
   */
  isLostAgain(stream: string, revision: number): boolean {
    const before = this.losses.get(stream)
    const times = before?.revision === revision ? before.times + 1 : 1
    this.losses.set(stream, { revision, times })
    return times >= lossesToClose
  }
}
