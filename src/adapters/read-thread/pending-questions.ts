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

/** Questions that have no answer yet. */
export class PendingQuestions {
  private readonly pending = new Map<number, Pending>()
  private lastId = 0
  constructor(private readonly parts: PendingParts) {}

  /** `send` is given the question's id. */
  add<Name extends QueryName>(
    want: Want,
    send: (id: number) => void,
  ): Promise<Answer<Queries[Name]['answer']>> {
    const { waitMs, answerMs = defaultAnswerMs, cancellation } = want
    if (cancellation?.isCancelled === true) return Promise.reject(nobodyWaits())
    const id = (this.lastId += 1)
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.giveUp(id)
      }
      const timer = setTimeout(giveUp, waitMs + answerMs)
      cancellation?.listen(giveUp)
      // The thread is of the same program: it answers each question in the form of its name.
      const answered = resolve as Pending['resolve']
      this.pending.set(id, { want, resolve: answered, reject, giveUp, timer })
      send(id)
    })
  }

  settle(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      const waiting = this.settled(outcome.id)
      // It came too late.
      if (waiting === undefined) continue
      const { position } = outcome
      if ('refusal' in outcome) waiting.reject(errorOf(outcome.refusal, position))
      else waiting.resolve({ value: parsed(outcome.value), position, logTime: outcome.logTime })
    }
  }

  /** No answer will come. */
  giveUpAll(): void {
    for (const id of this.pending.keys()) this.settled(id)?.reject(new ReadModelBehind(0))
  }

  /** It is settled when the thread has stopped, so that nothing else is begun in its place before. */
  private giveUp(id: number): void {
    const pending = this.pending.get(id)
    if (pending === undefined) return
    clearTimeout(pending.timer)
    const hangs = () => {
      this.settled(id)?.reject(new ReadModelBehind(this.parts.position()))
    }
    // An append waits no longer than it said.
    pending.timer = setTimeout(hangs, pending.want.caller === undefined ? 0 : silentMs)
    this.parts.onGivenUp(id)
  }

  private settled(id: number): Pending | undefined {
    const pending = this.pending.get(id)
    if (pending === undefined) return undefined
    this.pending.delete(id)
    clearTimeout(pending.timer)
    pending.want.cancellation?.forget(pending.giveUp)
    return pending
  }
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
