import type { Answer } from '../../../../src/adapters/eventstoredb/client/answer.js'
import type { RecordedFact } from '../../../../src/adapters/eventstoredb/append/connection.js'
import type { StreamAccess } from '../../../../src/adapters/eventstoredb/append/stream-access.js'
import type { StoredFact } from '../../../../src/application/facts/stored-fact.js'
import { Refusal } from '../../../../src/application/ports/refusal.js'

type Expected = bigint | 'no_stream'

/** An event that can happen next. The number of faults per run is limited. */
export interface Move {
  readonly fault: boolean
  make(): void
}

interface Request {
  readonly expected: Expected
  readonly facts: readonly StoredFact[]
  /** Undefined once the caller has got an answer. */
  answer: ((answer: Answer) => void) | undefined
  written: boolean
}

interface Reading {
  readonly answer: () => void
  readonly fail: () => void
}

export interface WorldOptions {
  readonly exists: boolean
  readonly foreignWrites: number
  /** The number of attempts of a caller before its timeout. */
  readonly attempts: number
}

/**
 * Models one stream of EventStoreDB. Nothing happens by itself: every step of every request is a move that the test
 * chooses. Writers see written facts immediately, and readers see them after the commit. Uncommitted facts can be
 * lost with their leader. A request may arrive after its caller has given up.
 */
export class StreamWorld {
  private committed: StoredFact[] = []
  private tail: StoredFact[] = []
  private requests: Request[] = []
  private readings: Reading[] = []
  private foreign: number

  constructor(private readonly options: WorldOptions) {
    if (options.exists) this.committed.push(foreignFact('first'))
    this.foreign = options.foreignWrites
  }

  /** Returns all possible moves, with faults last. */
  moves(): readonly Move[] {
    const moves = [
      ...this.requests.flatMap((request) => this.movesOf(request)),
      ...this.readings.flatMap((reading) => this.readingMoves(reading)),
    ]
    if (this.foreign > 0)
      moves.push(
        step(() => {
          this.foreign -= 1
          this.tail.push(foreignFact(`other-${String(this.foreign)}`))
        }),
      )
    if (this.tail.length > 0)
      moves.push(
        fault(() => {
          this.changeLeader()
        }),
      )
    return moves
  }

  /** Ends the run: all requests in flight arrive, or none does. Returns the stored facts. */
  end(arrives: boolean): readonly RecordedFact[] {
    if (arrives) {
      for (const request of this.requests) if (!request.written) this.deliver(request)
      this.commit()
    }
    return this.placed()
  }

  get unsettled(): boolean {
    return this.requests.length > 0 || this.tail.length > 0
  }

  access(): StreamAccess {
    let attempts = 0
    return {
      append: (expected, facts) => {
        attempts += 1
        return new Promise((answer) => {
          this.requests.push({ expected, facts, answer, written: false })
        })
      },
      read: ({ from, maxCount }) =>
        new Promise((resolve, reject) => {
          const answer = () => {
            const all = this.placed()
            const start =
              from === 'end' ? all.length - maxCount : from === 'start' ? 0 : Number(from)
            const chosen = all.slice(Math.max(0, start)).slice(0, maxCount)
            if (all.length === 0) resolve(undefined)
            else resolve(from === 'end' ? chosen.toReversed() : chosen)
          }
          const fail = () => {
            reject(new Error('no answer'))
          }
          this.readings.push({ answer, fail })
        }),
      findKey: () => Promise.resolve({ kind: 'none' }),
      removed: (code) => new Refusal(code),
      timeIsUp: () => attempts >= this.options.attempts,
      pause: () => Promise.resolve(),
    }
  }

  private movesOf(request: Request): readonly Move[] {
    const arrive = step(() => {
      this.deliver(request)
    })
    // The caller has given up, and knows that the outcome is unknown.
    if (request.answer === undefined) return request.written ? [] : [arrive]
    const giveUp = fault(() => {
      this.tell(request, unknown)
    })
    if (request.written)
      return [
        step(() => {
          this.commit()
          this.tellStored(request)
        }),
        fault(() => {
          this.tell(request, unknown)
          this.forget(request)
        }),
      ]
    const never = (answer: Answer) =>
      fault(() => {
        this.tell(request, answer)
        this.forget(request)
      })
    return [arrive, giveUp, never(unknown), never({ kind: 'refused', reason: 'not ready' })]
  }

  private readingMoves({ answer, fail }: Reading): readonly Move[] {
    const done = (settle: () => void) => () => {
      this.readings = this.readings.filter((one) => one.answer !== answer)
      settle()
    }
    const moves = [step(done(answer)), fault(done(fail))]
    if (this.tail.length === 0) return moves
    const late = () => {
      this.commit()
      answer()
    }
    return [...moves, step(done(late))]
  }

  /**
   * Executes a request by the server's rules for appends and repeats, at NO_STREAM and at an expected revision.
   */
  private deliver(request: Request): void {
    const all = [...this.committed, ...this.tail]
    const at = request.expected === 'no_stream' ? 0 : Number(request.expected) + 1
    if (at === all.length) {
      this.tail.push(...request.facts)
      request.written = true
      if (request.answer === undefined) this.forget(request)
      return
    }
    const there = all.slice(at, at + request.facts.length)
    const repeated =
      there.length > 0 && request.facts.every(({ id }, index) => there[index]?.id === id)
    if (!repeated) {
      const actual = all.length === 0 ? undefined : BigInt(all.length - 1)
      this.tell(request, { kind: 'wrong', actual })
    } else if (at + request.facts.length <= this.committed.length) this.tellStored(request)
    else this.tell(request, unknown)
    this.forget(request)
  }

  private commit(): void {
    this.committed.push(...this.tail)
    this.tail = []
  }

  private changeLeader(): void {
    this.tail = []
    for (const request of [...this.requests]) {
      if (!request.written) continue
      this.tell(request, unknown)
      this.forget(request)
    }
  }

  private tellStored(request: Request): void {
    const last = request.facts.at(-1)?.id
    const found = this.placed().find(({ fact }) => fact.id === last)
    if (found === undefined) throw new Error('a stored fact is not there')
    this.tell(request, { kind: 'stored', revision: found.revision, position: found.position })
    this.forget(request)
  }

  private tell(request: Request, answer: Answer): void {
    request.answer?.(answer)
    request.answer = undefined
  }

  private forget(request: Request): void {
    this.requests = this.requests.filter((one) => one !== request)
  }

  private placed(): readonly RecordedFact[] {
    return this.committed.map((fact, n) => ({
      fact,
      revision: BigInt(n),
      position: BigInt(n * 100 + 7),
      key: keyOf(fact),
    }))
  }
}

function keyOf({ metadata }: StoredFact): string | undefined {
  const { idempotencyKey } = JSON.parse(metadata) as { idempotencyKey?: string }
  return idempotencyKey
}

function foreignFact(id: string): StoredFact {
  return { id, type: 'T', data: '{}', metadata: '{}' }
}

function step(make: () => void): Move {
  return { fault: false, make }
}

function fault(make: () => void): Move {
  return { fault: true, make }
}

const unknown: Answer = { kind: 'unknown', reason: 'no answer' }
