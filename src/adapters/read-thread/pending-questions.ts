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
  constructor(private readonly parts: PendingParts) {}

  /** `send` is given the question's id. */
  add<Name extends QueryName>(
    want: Want,
    send: (id: number) => void,
  ): Promise<Answer<Queries[Name]['answer']>> {
    const { waitMs, answerMs = defaultAnswerMs, caller, signal } = want
    if (signal?.aborted === true) return Promise.reject(nobodyWaits())
    const id = (this.lastId += 1)
    return new Promise((resolve, reject) => {
      // It is settled when the thread has stopped, so that nothing else is begun in its place before.
      const giveUp = () => {
        clearTimeout(timer)
        // An append waits no longer than it said.
        timer = setTimeout(hangs, caller === undefined ? 0 : silentMs)
        this.parts.onGivenUp(id)
      }
      const hangs = () => {
        this.settled(id)?.reject(new ReadModelBehind(this.parts.position()))
      }
      let timer = setTimeout(giveUp, waitMs + answerMs)
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
      }
      signal?.addEventListener('abort', giveUp)
      // The thread is of the same program: it answers each question in the form of its name.
      this.pending.set(id, { resolve: resolve as Pending['resolve'], reject, leave })
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
  giveUp(): void {
    for (const { leave, reject } of this.pending.values()) {
      leave()
      reject(new ReadModelBehind(0))
    }
    this.pending.clear()
  }

  private settled(id: number): Pending | undefined {
    const pending = this.pending.get(id)
    this.pending.delete(id)
    pending?.leave()
    return pending
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
