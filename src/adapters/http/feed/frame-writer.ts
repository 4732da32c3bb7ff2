import type { FeedStep, FollowedFacts } from '../../../application/reading/follower.js'
import { chunkBytes, type StreamWriter } from './send-stream.js'
import type { Checkpoint, FeedFact } from '../../../application/reading/ports/read-model.js'
import { jsonOf } from '../routes/json-of.js'

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

/** How facts and places of the feed are written. */

const idDigits = 8

/** `position.xxxxxxxx`; a place that was taken unchecked is its position alone. */
export function feedCursor({ position, id }: Checkpoint): string {
  if (position === 0) return 'start'
  return id === '' ? String(position) : `${String(position)}.${id.slice(0, idDigits).toLowerCase()}`
}

export function factItem({ position, id, type, stream, data, requestId }: FeedFact) {
  return { position: String(position), id, type, stream, data, request_id: requestId }
}

const frames = new WeakMap<FeedFact, string>()

/** Made once for all streams that share the fact. */
function factFrame(fact: FeedFact): string {
  const cached = frames.get(fact)
  if (cached !== undefined) return cached
  const data = jsonOf(factItem(fact))
  const frame = `id: ${feedCursor(fact)}\nevent: ${fact.type}\ndata: ${data}\n\n`
  frames.set(fact, frame)
  return frame
}

/** A client takes note of the id, and gets no event. */
function placeFrame(place: Checkpoint): string {
  return `id: ${feedCursor(place)}\n\n`
}

/** With data, for without it a client drops the event. */
function liveFrame(place: Checkpoint): string {
  return `id: ${feedCursor(place)}\nevent: live\ndata: {}\n\n`
}
