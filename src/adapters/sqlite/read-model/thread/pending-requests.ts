import { Deadlines, type Deadline } from '../../../../application/deadlines.js'
import { nobodyWaits } from '../../../../application/ports/cancellation.js'
import { Refusal, RefusalAt } from '../../../../application/ports/refusal.js'
import type {
  Answer,
  QueryName,
  Want,
  AnswerOf,
} from '../../../../application/reading/ports/read-model.js'
import { readAnswer } from './answer-texts.js'
import type { Refused, Response } from './protocol.js'

/** How long a response may take where nothing is said, in milliseconds. */
const defaultAnswerMs = 1_000

/** A thread that does not even stop in this time hangs, in milliseconds. */
const silentMs = 500

/** How many responses the thread may owe to requests that were refused, before it gets no other request. */
const maxGivenUp = 1_024

interface Pending {
  readonly name: QueryName
  readonly want: Want
  readonly resolve: (answer: Answer<unknown>) => void
  readonly reject: (error: Error) => void
  readonly cancel: () => void
  deadline: Deadline
}

interface PendingParts {
  readonly position: () => number
  readonly onCancelled: (id: number) => void
}

/**
 * Requests that have no response yet, by their ids. An id is free again when the thread has responded:
 * a map of ids that only grow is rehashed all the time, and what was in its old tables outlives its
 * request until the next full collection, which was a tenth of a read's cost.
 */
export class PendingRequests {
  private readonly pending: (Pending | undefined)[] = []
  private readonly freeIds: number[] = []
  private readonly deadlines = new Deadlines()
  /** How many requests were refused and keep their ids: the thread may still respond to them. */
  private givenUp = 0

  constructor(private readonly parts: PendingParts) {}

  add<Name extends QueryName>(
    name: Name,
    want: Want,
    send: (id: number) => void,
  ): Promise<AnswerOf<Name>> {
    const { waitMs, answerMs = defaultAnswerMs, cancellation } = want
    if (cancellation?.isCancelled === true) return Promise.reject(nobodyWaits())
    if (this.givenUp >= maxGivenUp) return Promise.reject(this.behind())
    const id = this.freeIds.pop() ?? this.pending.length
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.cancel(id)
      }
      const deadline = this.deadlines.add(waitMs + answerMs, cancel)
      cancellation?.listen(cancel)
      // The thread is of the same program: it responds to each request with the type of its name.
      const responded = resolve as Pending['resolve']
      this.pending[id] = { name, want, resolve: responded, reject, cancel, deadline }
      send(id)
    })
  }

  respond(response: Response | Refused): void {
    if ('code' in response) {
      this.end(response.id)?.reject(errorOf(response))
      return
    }
    const [id, position, logTime, text] = response
    const pending = this.end(id)
    if (pending === undefined) return
    const value = text === undefined ? undefined : readAnswer(pending.name, text)
    pending.resolve({ value, position, logTime })
  }

  refuseAll(): void {
    for (const pending of this.pending.splice(0)) {
      if (pending === undefined) continue
      this.leave(pending)
      pending.reject(new RefusalAt('read_model_behind', 0))
    }
    this.freeIds.length = 0
    this.givenUp = 0
  }

  private end(id: number): Pending | undefined {
    const pending = this.pending[id]
    this.pending[id] = undefined
    this.freeIds.push(id)
    if (pending === undefined) this.givenUp -= 1
    else this.leave(pending)
    return pending
  }

  private leave({ want, cancel, deadline }: Pending): void {
    this.deadlines.drop(deadline)
    want.cancellation?.forget(cancel)
  }

  /** It is refused when the thread has stopped, so that nothing else is begun in its place before. */
  private cancel(id: number): void {
    const pending = this.pending[id]
    if (pending === undefined) return
    this.deadlines.drop(pending.deadline)
    this.parts.onCancelled(id)
    const giveUp = () => {
      this.pending[id] = undefined
      this.givenUp += 1
      this.leave(pending)
      pending.reject(this.behind())
    }
    // An append waits no longer than it said.
    if (pending.want.caller === undefined) giveUp()
    else pending.deadline = this.deadlines.add(silentMs, giveUp)
  }

  private behind(): RefusalAt {
    return new RefusalAt('read_model_behind', this.parts.position())
  }
}

function errorOf({ code, position }: Refused): Error {
  if (code === undefined) return new Error('the read model made a mistake')
  return position === undefined ? new Refusal(code) : new RefusalAt(code, position)
}
