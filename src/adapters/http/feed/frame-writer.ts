import type { FeedStep, FollowedFacts } from '../../../application/reading/follower.js'
import { chunkBytes, type StreamWriter } from './send-stream.js'
import type { Checkpoint, FeedFact } from '../../../application/reading/ports/read-model.js'
import { jsonOf } from '../routes/json-of.js'
import { factDataOf } from './fact-view.js'

/** After this many facts that the filter leaves out, the reader gets a frame that has only a position. */
const positionEvery = 1_000

/** Writes followed facts as frames of server-sent events. Makes each chunk when the reader has taken the one before. */
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

  /** The next bytes; undefined at the end. Nothing else is buffered for a slow reader. */
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

/** The cursor of a checkpoint: `position.xxxxxxxx`, with the first digits of the id of the fact, if that is known. */
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

/** The frame of a fact, made once for all streams. */
function factFrame(fact: FeedFact): string {
  const cached = frames.get(fact)
  if (cached !== undefined) return cached
  const data = jsonOf(factItem(fact))
  const frame = `id: ${feedCursor(fact)}\nevent: ${fact.type}\ndata: ${data}\n\n`
  frames.set(fact, frame)
  return frame
}

/** A frame without data: a client stores the id, and gets no event. */
function positionFrame(place: Checkpoint): string {
  return `id: ${feedCursor(place)}\n\n`
}

/** Tells a reader that it has caught up. The data is needed: a client drops an event without data. */
function liveFrame(place: Checkpoint): string {
  return `id: ${feedCursor(place)}\nevent: live\ndata: {}\n\n`
}
