/** How long a closed stream is left out, in milliseconds. */
const closedMs = 60_000
/** Another process that goes on with the same stream brings another revision long before. */
const lossesToClose = 5

/** Streams that nothing can be appended to: they were removed, or hold what is not read here. */
export class ClosedStreams {
  private readonly until = new Map<string, number>()
  private readonly losses = new Map<string, { readonly revision: number; readonly times: number }>()

  /** `now`: in milliseconds since 1970. */
  now(now: number): readonly string[] {
    return [...this.until].flatMap(([stream, until]) => (now < until ? [stream] : []))
  }

  /** False: it was closed before. */
  close(stream: string, now: number): boolean {
    const isNew = !this.until.has(stream)
    this.until.set(stream, now + closedMs)
    this.losses.delete(stream)
    return isNew
  }

  /** Another one was first at the same revision again and again, and yet it was not read here. */
  isLostAgain(stream: string, revision: number): boolean {
    const before = this.losses.get(stream)
    const times = before?.revision === revision ? before.times + 1 : 1
    this.losses.set(stream, { revision, times })
    return times >= lossesToClose
  }
}
