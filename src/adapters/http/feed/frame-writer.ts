import type { FeedStep, FollowedFacts } from '../../../application/reading/followed-facts.js'
import { factFrame, liveFrame, placeFrame } from './fact-frames.js'

/** Bytes that are handed on at once, about: no more than a few times as many wait for a slow reader. */
export const chunkBytes = 32_768

/** After so many facts that were left out, a reader is told how far it has come. */
const placeEvery = 1_000

/** Writes what is followed as frames of server-sent events, each chunk when the one before was taken. */
export class FrameWriter {
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
      const step = await this.followed.next()
      if (step === undefined) return
      for (const chunk of this.chunksOf(step)) {
        if (this.isOver) return
        yield chunk
      }
    }
  }

  private *chunksOf(step: FeedStep): Generator<Buffer> {
    for (const text of this.texts(step)) {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        yield bytes.subarray(at, at + chunkBytes)
      }
    }
  }

  /** The frames of a step, many small ones as one text. */
  private *texts({ facts, leftOut, reached, isCaughtUp }: FeedStep): Generator<string> {
    let text = ''
    for (const fact of facts) {
      text += factFrame(fact)
      if (text.length < chunkBytes) continue
      yield text
      text = ''
    }
    this.leftOut += leftOut
    if (isCaughtUp) text += liveFrame(reached)
    if (this.isBeatDue || this.leftOut >= placeEvery) text += placeFrame(reached)
    if (this.leftOut >= placeEvery) this.leftOut = 0
    this.isBeatDue = false
    if (text !== '') yield text
  }
}
