import { nobodyWaits } from '../../application/ports/cancellation.js'
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

/** A thread that does not even stop in this time hangs, in milliseconds. */
const silentMs = 500

interface Pending {
  readonly want: Want
  readonly resolve: (answer: Answer<unknown>) => void
  readonly reject: (error: Error) => void
  readonly giveUp: () => void
  timer: NodeJS.Timeout
}

export interface PendingParts {
  /** Of the last fact that is known to be applied. */
  readonly position: () => number
  /** What is given up by now is not to be answered. */
  readonly onGivenUp: (id: number) => void
}

/**
 * Questions that have no answer yet, by their ids. An id is free again when the thread has answered:
 * a map of ids that only grow is rehashed all the time, and what its old tables held outlives its
 * request until the next full collection, which was a tenth of a read's cost.
 */
export class PendingQuestions {
  private readonly pending: (Pending | undefined)[] = []
  private readonly freeIds: number[] = []
  constructor(private readonly parts: PendingParts) {}

  /** `send` is given the question's id. */
  add<Name extends QueryName>(
    want: Want,
    send: (id: number) => void,
  ): Promise<Answer<Queries[Name]['answer']>> {
    const { waitMs, answerMs = defaultAnswerMs, cancellation } = want
    if (cancellation?.isCancelled === true) return Promise.reject(nobodyWaits())
    const id = this.freeIds.pop() ?? this.pending.length
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.giveUp(id)
      }
      // A fraction of a millisecond costs a timer more than the timer.
      const timer = setTimeout(giveUp, Math.ceil(waitMs + answerMs))
      cancellation?.listen(giveUp)
      // The thread is of the same program: it answers each question in the form of its name.
      const answered = resolve as Pending['resolve']
      this.pending[id] = { want, resolve: answered, reject, giveUp, timer }
      send(id)
    })
  }

  settle(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      const { id, position } = outcome
      const waiting = this.pending[id]
      this.pending[id] = undefined
      this.freeIds.push(id)
      if (waiting === undefined) continue
      leave(waiting)
      if ('refusal' in outcome) waiting.reject(errorOf(outcome.refusal, position))
      else waiting.resolve({ value: parsed(outcome.value), position, logTime: outcome.logTime })
    }
  }

  /** No answer will come. */
  giveUpAll(): void {
    for (const waiting of this.pending.splice(0)) {
      if (waiting === undefined) continue
      leave(waiting)
      waiting.reject(new ReadModelBehind(0))
    }
    this.freeIds.length = 0
  }

  /** It is settled when the thread has stopped, so that nothing else is begun in its place before. */
  private giveUp(id: number): void {
    const waiting = this.pending[id]
    if (waiting === undefined) return
    clearTimeout(waiting.timer)
    const hangs = () => {
      // A rejection is the last word: an answer that comes after it changes nothing.
      waiting.reject(new ReadModelBehind(this.parts.position()))
    }
    // An append waits no longer than it said.
    waiting.timer = setTimeout(hangs, waiting.want.caller === undefined ? 0 : silentMs)
    this.parts.onGivenUp(id)
  }
}

/** Ends its timer, and listens no more for who gives it up. */
function leave({ want, giveUp, timer }: Pending): void {
  clearTimeout(timer)
  want.cancellation?.forget(giveUp)
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
