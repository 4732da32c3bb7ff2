import { Overloaded } from '../../application/ports/store-errors.js'
import {
  PositionUnknown,
  ReadModelBehind,
  SegmentBuilding,
  TooManyFacts,
} from '../../application/reading/errors.js'
import type {
  Answer,
  Queries,
  QueryName,
  Want,
} from '../../application/reading/ports/read-model.js'
import type { Outcome, Refusal } from './protocol.js'

/** How long an answer may take where nothing is said, in milliseconds. */
const defaultAnswerMs = 1_000

/** A thread that has said nothing for so long hangs, in milliseconds. */
const silentMs = 500

interface Pending {
  readonly resolve: (answer: Answer<unknown>) => void
  readonly reject: (error: Error) => void
  /** Ends its timer, and listens no more for who gives it up. */
  readonly leave: () => void
}

export interface PendingParts {
  /** Of the last fact that is known to be applied. */
  readonly position: () => number
  /** What is given up by now is not to be answered. */
  readonly onGivenUp: (id: number) => void
}

/** Questions that have no answer yet. */
export class PendingQuestions {
  private readonly pending = new Map<number, Pending>()
  private lastId = 0
  /** When the thread last said something, on the clock of `performance.now`. */
  private lastHeardAt = 0

  constructor(private readonly parts: PendingParts) {}

  /** `send` is given the question's id. */
  add<Name extends QueryName>(
    want: Want,
    send: (id: number) => void,
  ): Promise<Answer<Queries[Name]['answer']>> {
    const { waitMs, answerMs = defaultAnswerMs, signal } = want
    if (signal?.aborted === true) return Promise.reject(nobodyWaits())
    const id = (this.lastId += 1)
    return new Promise((resolve, reject) => {
      const giveUp = (error: () => Error) => () => {
        this.pending.delete(id)
        leave()
        this.parts.onGivenUp(id)
        reject(error())
      }
      const abandon = giveUp(nobodyWaits)
      const timer = setTimeout(
        giveUp(() => this.tooLate(want)),
        waitMs + answerMs,
      )
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abandon)
      }
      signal?.addEventListener('abort', abandon)
      // The thread is of the same program: it answers each question in the form of its name.
      this.pending.set(id, { resolve: resolve as Pending['resolve'], reject, leave })
      send(id)
    })
  }

  /** The thread has said something. */
  heard(): void {
    this.lastHeardAt = performance.now()
  }

  settle(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      const waiting = this.pending.get(outcome.id)
      // It was given up.
      if (waiting === undefined) continue
      this.pending.delete(outcome.id)
      waiting.leave()
      const { position } = outcome
      if ('refusal' in outcome) waiting.reject(errorOf(outcome.refusal, position))
      else waiting.resolve({ value: parsed(outcome.value), position, logTime: outcome.logTime })
    }
  }

  /** No answer will come. */
  giveUp(): void {
    for (const { leave, reject } of this.pending.values()) {
      leave()
      reject(new ReadModelBehind(0))
    }
    this.pending.clear()
  }

  /** A thread that answers others does not hang: this answer takes more than it may. */
  private tooLate({ caller }: Want): Error {
    const hangs = performance.now() - this.lastHeardAt > silentMs
    return hangs || caller === undefined
      ? new ReadModelBehind(this.parts.position())
      : new Overloaded('the answer took too long')
  }
}

function nobodyWaits(): Overloaded {
  return new Overloaded('nobody waits for it any more')
}

function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text)
}

function errorOf(refusal: Refusal, position: number): Error {
  switch (refusal) {
    case 'behind':
      return new ReadModelBehind(position)
    case 'unknown':
      return new PositionUnknown(position)
    case 'too_many':
      return new TooManyFacts('more facts would be folded than are on demand')
    case 'segment_building':
      return new SegmentBuilding(position)
    case 'overloaded':
      return new Overloaded('the read model has too much to do')
    case 'failed':
      return new Error('the read model made a mistake')
  }
}
