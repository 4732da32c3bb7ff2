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

/** How much later than asked for an answer may come, in milliseconds: then the thread hangs. */
const graceMs = 50

/** How long an answer for which nothing has to be waited may take, in milliseconds. */
const minAnswerMs = 1_000
/** A fold of many facts takes its time, and so does a page of the feed beside others. */
const longMs = 10_000

interface Pending {
  readonly resolve: (answer: Answer<unknown>) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

/** Questions that have no answer yet. */
export class PendingQuestions {
  private readonly pending = new Map<number, Pending>()
  private lastId = 0

  /** `send` is given the question's id. `position`: of the last fact that is known to be applied. */
  add<Name extends QueryName>(
    name: Name,
    want: Want,
    position: () => number,
    send: (id: number) => void,
  ): Promise<Answer<Queries[Name]['answer']>> {
    const id = (this.lastId += 1)
    const mostMs = longestOf(name, want)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(id)
        reject(new ReadModelBehind(position()))
      }, mostMs)
      // The thread is of the same program: it answers each question in the form of its name.
      this.pending.set(id, { resolve: resolve as Pending['resolve'], reject, timer })
      send(id)
    })
  }

  settle(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      const waiting = this.pending.get(outcome.id)
      // It came too late.
      if (waiting === undefined) continue
      this.pending.delete(outcome.id)
      clearTimeout(waiting.timer)
      const { position } = outcome
      if ('refusal' in outcome) waiting.reject(errorOf(outcome.refusal, position))
      else waiting.resolve({ value: parsed(outcome.value), position, logTime: outcome.logTime })
    }
  }

  /** No answer will come. */
  giveUp(): void {
    for (const { timer, reject } of this.pending.values()) {
      clearTimeout(timer)
      reject(new ReadModelBehind(0))
    }
    this.pending.clear()
  }
}

function longestOf(name: QueryName, { position, waitMs }: Want): number {
  switch (name) {
    case 'profileAt':
    case 'facts':
    case 'entitySegments':
    case 'explainSegment':
    case 'evaluateRule':
      return waitMs + longMs + graceMs
    // An append waits for it.
    case 'keyed':
    case 'isFull':
      return waitMs
    default:
      return (position === undefined ? Math.max(waitMs, minAnswerMs) : waitMs) + graceMs
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
    case 'failed':
      return new Error('the read model made a mistake')
  }
}
