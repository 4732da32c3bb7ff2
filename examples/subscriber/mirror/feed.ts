import type { Dossier } from 'dossier/client'
import type { FactListener, FactSource } from './fact-source.js'
import { cursorOf, placeAt, placeOfCursor, type Place } from './place.js'
import { segmentFactTypes, segmentFactOf } from './segment-facts.js'
import { errorOf, reasonOf } from './service-errors.js'

/**
 * The facts of a segment in the feed. That has a filter for types and none for segments: what is told of
 * others comes too and is left out here.
 */
export function feedOf(dossier: Dossier, segment: string, silenceMs?: number): FactSource {
  return async (after, listener, signal) => {
    const reading = new FeedReading(segment, listener, after)
    const facts = dossier.facts({
      after: cursorOf(after),
      types: segmentFactTypes,
      signal: AbortSignal.any([signal, reading.failed]),
      // A mirror waits for its service as long as it takes.
      timeoutMs: Infinity,
      silenceMs,
      onCursor: (cursor) => {
        reading.reached(cursor)
      },
      onLive: () => {
        reading.caughtUp()
      },
      onBreak: (error, pauseMs) => {
        listener.interrupted({ reason: reasonOf(error), pauseMs: Math.round(pauseMs) })
      },
    })
    try {
      for await (const fact of facts) await reading.take(fact)
    } catch (error) {
      throw errorOf(error)
    }
  }
}

/** Tells the listener of one thing after the other. */
class FeedReading {
  private readonly failure = new AbortController()
  private before: Promise<void> = Promise.resolve()

  constructor(
    private readonly segment: string,
    private readonly listener: FactListener,
    private place: Place,
  ) {}

  /** Given with what the listener throws while no fact is waited for. */
  get failed(): AbortSignal {
    return this.failure.signal
  }

  async take(given: { readonly position: string; readonly id: string }): Promise<void> {
    await this.before
    const place = placeAt(given.position, given.id)
    const fact = segmentFactOf(given)
    if (fact.data.segment === this.segment) await this.listener.handle(fact, place)
    else await this.listener.reached(place)
    this.place = place
  }

  reached(cursor: string): void {
    // Nothing is there yet.
    if (cursor === 'start') return
    const place = placeOfCursor(cursor)
    this.then(async () => {
      const { commit, idBegins } = this.place
      // The same position says more where its fact is known, too.
      if (place.commit < commit || (place.commit === commit && idBegins !== undefined)) return
      await this.listener.reached(place)
      this.place = place
    })
  }

  caughtUp(): void {
    this.then(() => this.listener.caughtUp())
  }

  private then(work: () => Promise<void>): void {
    this.before = this.before.then(work)
    this.before.catch((reason: unknown) => {
      this.failure.abort(reason)
    })
  }
}
