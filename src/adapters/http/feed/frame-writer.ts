import type { FeedStep, FollowedFacts } from '../../../application/reading/follower.js'
import { chunkBytes, type StreamWriter } from './send-stream.js'
import type { Checkpoint, FeedFact } from '../../../application/reading/ports/read-model.js'
import { jsonOf } from '../replies/json-of.js'
import { factDataOf } from '../../../application/facts/fact-view.js'

/**
 * The number of skipped facts after which the reader gets a frame that contains only a position.
 * The frame lets the reader resume at that position.
 */
const positionEvery = 1_000

/** Writes facts as server-sent events. Produces a chunk only after the reader has received the previous chunk. */
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

  /** Calls `begin` before the first chunk. */
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

  /**
   * Returns the next bytes, or undefined at the end. Buffers only these bytes, so a slow reader
   * needs little memory.
   */
  private async nextBytes(): Promise<Buffer | undefined> {
    const step = await this.followed.next()
    return step && Buffer.from(this.text(step))
  }

  private text({ facts, leftOut, reached, isCaughtUp }: FeedStep): string {
    let text = facts.map(factFrame).join('')
    this.leftOut += leftOut
    if (isCaughtUp) text += liveFrame(reached)
    if (this.isBeatDue || this.leftOut >= positionEvery) text += positionFrame(reached)
    if (this.leftOut >= positionEvery) this.leftOut = 0
    this.isBeatDue = false
    return text
  }
}

const idDigits = 8

/**
 * Formats a stored position as the cursor of the feed: `position.xxxxxxxx`. The suffix is the first
 * digits of the fact's id. The cursor has no suffix when the id is unknown.
 */
export function feedCursor({ position, id }: Checkpoint): string {
  if (position === 0) return 'start'
  return id === '' ? String(position) : `${String(position)}.${id.slice(0, idDigits).toLowerCase()}`
}

export function factItem({ position, id, type, stream, data, requestId }: FeedFact) {
  return {
    position: String(position),
    id,
    type,
    stream,
    data: factDataOf(type, data),
    request_id: requestId,
  }
}

const frames = new WeakMap<FeedFact, string>()

/** Returns the frame of a fact. Caches frames, so that all streams share one text. */
function factFrame(fact: FeedFact): string {
  const cached = frames.get(fact)
  if (cached !== undefined) return cached
  const data = jsonOf(factItem(fact))
  const frame = `id: ${feedCursor(fact)}\nevent: ${fact.type}\ndata: ${data}\n\n`
  frames.set(fact, frame)
  return frame
}

/** Returns a frame without data. Clients store its id as their cursor and raise no event. */
function positionFrame(place: Checkpoint): string {
  return `id: ${feedCursor(place)}\n\n`
}

/**
 * Returns the frame that tells a reader that it has read all applied facts. The data is `{}`,
 * because clients ignore an event without data.
 */
function liveFrame(place: Checkpoint): string {
  return `id: ${feedCursor(place)}\nevent: live\ndata: {}\n\n`
}
