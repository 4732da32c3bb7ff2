import { z } from 'zod'
import type { FactListener, FactSource } from './fact-source.js'
import type { HttpReader } from './http-reader.js'
import { cursorOf, placeAt, placeOfCursor, type Place } from './place.js'
import { Passing, retrying } from './retrying.js'
import { segmentFact, segmentFactTypes } from './segment-facts.js'
import { framesIn } from './server-sent-events.js'

const item = z.looseObject({ id: z.string(), position: z.string() }).and(segmentFact)
const factsReply = z.object({
  data: z.object({ items: z.array(item), next_after: z.string(), at_head: z.boolean() }),
})

/**
 * The facts of a segment in `GET /facts`: in pages to the end, then as a stream. The feed has a filter for
 * types and none for segments: what is told of others comes too and is left out here.
 */
export function feedOf(http: HttpReader, segment: string): FactSource {
  return async (after, listener, signal) => {
    const reading = new FeedReading(http, segment, listener, after)
    await retrying(
      async (progressed) => {
        while (!(await reading.page())) progressed()
        await reading.stream(progressed)
        throw new Passing('the service ended the stream')
      },
      { signal, interrupted: listener.interrupted },
    )
  }
}

class FeedReading {
  constructor(
    private readonly http: HttpReader,
    private readonly segment: string,
    private readonly listener: FactListener,
    private place: Place,
  ) {}

  /**
   * Whether it was the last one: the stream brings what follows. One that comes no further is the last,
   * too, though the store may have more: the service does not know it yet.
   */
  async page(): Promise<boolean> {
    const { body } = await this.http.json(`${this.path}&limit=1000`, factsReply, this.place.commit)
    const { items, next_after: next, at_head: isAtHead } = body.data
    const before = this.place.commit
    for (const one of items) await this.take(one)
    await this.reached(placeOfCursor(next))
    return isAtHead || this.place.commit === before
  }

  /** Resolves when the service ends the stream. */
  async stream(progressed: () => void): Promise<void> {
    const chunks = this.http.stream(this.path, this.place.commit)
    for await (const { id, event, data = '' } of framesIn(chunks)) {
      progressed()
      if (event !== undefined && event !== 'live') await this.take(item.parse(JSON.parse(data)))
      else if (id !== undefined) await this.reached(placeOfCursor(id))
      if (event === 'live') await this.listener.caughtUp()
    }
  }

  private get path(): string {
    return `/facts?types=${segmentFactTypes.join(',')}&after=${cursorOf(this.place)}`
  }

  private async take(fact: z.infer<typeof item>): Promise<void> {
    const place = placeAt(fact.position, fact.id)
    if (fact.data.segment === this.segment) await this.listener.handle(fact, place)
    else await this.listener.reached(place)
    this.place = place
  }

  private async reached(place: Place): Promise<void> {
    const { commit, idBegins } = this.place
    // The same position says more where its fact is known, too.
    if (place.commit < commit || (place.commit === commit && idBegins !== undefined)) return
    await this.listener.reached(place)
    this.place = place
  }
}
