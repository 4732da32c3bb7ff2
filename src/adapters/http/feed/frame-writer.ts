import type { FeedStep, FollowedFacts } from '../../../application/reading/follower.js'
import { factFrame, liveFrame, placeFrame } from './fact-frames.js'
import { chunkBytes, type StreamWriter } from './send-stream.js'

/** Facts left out after which a reader gets a frame with its position alone. */
const placeEvery = 1_000

/** Writes what is followed as frames of server-sent events, each chunk when the one before was taken. */
export class FrameWriter implements StreamWriter {
  private isBeatDue = false
  private isOver = false
  private leftOut = 0

  constructor(private readonly followed: FollowedFacts) {}

  beat(): void {
    this.isBeatDue = true
    this.followed.wake()
  }

  end(): void {
    this.isOver = true
    this.followed.end()
  }

  /** `begin` is called before the first chunk. */
  async *chunks(begin: () => void): AsyncGenerator<Buffer> {
    begin()
    for (;;) {
      const bytes = await this.nextBytes()
      if (bytes === undefined) return
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        if (this.isOver) return
        yield bytes.subarray(at, at + chunkBytes)
      }
    }
  }

  /** While a reader takes its time, nothing but these bytes is buffered for it; undefined at the end. */
  private async nextBytes(): Promise<Buffer | undefined> {
    const step = await this.followed.next()
    return step && Buffer.from(this.text(step))
  }

  private text({ facts, leftOut, reached, isCaughtUp }: FeedStep): string {
    let text = facts.map(factFrame).join('')
    this.leftOut += leftOut
    if (isCaughtUp) text += liveFrame(reached)
    if (this.isBeatDue || this.leftOut >= placeEvery) text += placeFrame(reached)
    if (this.leftOut >= placeEvery) this.leftOut = 0
    this.isBeatDue = false
    return text
  }
}
