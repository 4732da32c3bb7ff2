import { setImmediate as nextEventLoopTurn } from 'node:timers/promises'
import status from '@eventstore/db-client/generated/status_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import fc from 'fast-check'
import { NotSent, type Answer } from '../../../../src/adapters/eventstoredb/client/answer.js'
import { BatchAppender } from '../../../../src/adapters/eventstoredb/append/batch-appender.js'
import { TimedOut } from '../../../../src/adapters/eventstoredb/client/with-timeout.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { storedFact } from '../../../support/stored-facts.js'
import { FakeCall, partsOf, stored } from './fake-call.js'

const longMs = 60_000
const cut = () =>
  Object.assign(new Error('14 UNAVAILABLE: Connection dropped'), {
    code: 14,
    details: 'Connection dropped',
  })
const noConnection = () =>
  Object.assign(new Error('14 UNAVAILABLE: No connection established. Last error: x'), {
    code: 14,
    details: 'No connection established. Last error: x',
  })

type Outcome = Answer['kind'] | 'not sent' | 'not in time'

/** Uses fake timers, so that time passes only when the test advances it. */
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] })
})

/** Settles the promises that a test leaves behind, so that no timer of theirs fires in a later test. */
const leftovers: (() => void)[] = []
afterEach(async () => {
  for (const settle of leftovers.splice(0)) settle()
  await nextEventLoopTurn()
  jest.useRealTimers()
})

const shortMs = 1_000
/** Advances the clock beyond deadlines of `shortMs`, but not beyond `longMs`. */
const passShort = () => {
  jest.advanceTimersByTime(2 * shortMs)
}

/**
 * Creates a batch appender over fake calls, which open when the test says so, and records the outcome of each
 * append.
 */
function bench() {
  const calls: FakeCall[] = []
  const leaderAsked: boolean[] = []
  /** The number of attempts to open a call that have ended. */
  let opened = 0
  let next: (result: FakeCall | Error) => void = () => undefined
  const appender = new BatchAppender(
    (checkLeaderFirst) =>
      new Promise((resolve, reject) => {
        leaderAsked.push(checkLeaderFirst)
        next = (result) => {
          next = () => undefined
          if (result instanceof Error) reject(result)
          else resolve(result)
        }
      }),
    false,
  )
  leftovers.push(() => {
    next(cut())
    for (const call of calls) call.emit('error', cut())
  })
  const outcomes: (Outcome | undefined)[] = []
  const answers: (Answer | undefined)[] = []
  const append = (milliseconds = longMs, stream = 'entity-a') => {
    const n = outcomes.length
    outcomes.push(undefined)
    appender
      .append({ stream, expected: 'stream_exists', facts: [storedFact()] }, milliseconds)
      .then(
        (answer) => {
          if (outcomes[n] !== undefined) throw new Error('settled twice')
          answers[n] = answer
          outcomes[n] = answer.kind
        },
        (error: unknown) => {
          if (outcomes[n] !== undefined) throw new Error('settled twice')
          if (error instanceof NotSent) outcomes[n] = 'not sent'
          else if (error instanceof TimedOut) outcomes[n] = 'not in time'
          else throw error
        },
      )
  }
  const flushEvents = async () => {
    await nextEventLoopTurn()
    await nextEventLoopTurn()
  }
  const open = async (prepare?: (call: FakeCall) => void) => {
    await flushEvents()
    const call = new FakeCall()
    prepare?.(call)
    const { length } = leaderAsked
    if (length > opened) calls.push(call)
    opened = length
    next(call)
    await flushEvents()
    return call
  }
  const fail = async (error: Error) => {
    await flushEvents()
    opened = leaderAsked.length
    next(error)
    await flushEvents()
  }
  return {
    appender,
    append,
    open,
    fail,
    outcomes,
    answers,
    calls,
    leaderAsked,
    flushEvents,
  }
}

describe('an append', () => {
  it('gets its own answer, in whatever order answers arrive', async () => {
    const { append, open, outcomes, answers, flushEvents } = bench()
    for (let n = 0; n < 3; n += 1) append()
    const call = await open()
    call.answer(2)
    call.answer(0)
    await flushEvents()
    expect(outcomes).toEqual(['stored', undefined, 'stored'])
    expect(answers[2]).toEqual({ kind: 'stored', revision: 2n, position: 102n })
    expect(answers[0]).toEqual({ kind: 'stored', revision: 0n, position: 100n })
  })

  it('is a single, final message with the unchanged text of its facts', async () => {
    const { appender, open } = bench()
    const fact = { ...storedFact(), data: '{"a": 1.0, "ü": "\\ud800"}', metadata: '{"b":2}' }
    const stored = appender.append({ stream: 'entity-ü', expected: 7n, facts: [fact] }, longMs)
    const call = await open()
    call.answer(0)
    await expect(stored).resolves.toMatchObject({ kind: 'stored' })
    const { written } = call
    expect(written.map(partsOf)).toEqual([
      {
        isFinal: true,
        stream: 'entity-ü',
        revision: '7',
        deadline: undefined,
        events: [
          {
            id: fact.id,
            described: `content-type=application/json type=${fact.type}`,
            data: fact.data,
            metadata: fact.metadata,
          },
        ],
      },
    ])
  })

  it('is identified by its id in either form that a server returns', async () => {
    const { append, open, outcomes, flushEvents } = bench()
    append()
    const call = await open()
    const response = stored(call.written[0], 0)
    const hex = response.getCorrelationId()?.getString().replaceAll('-', '') ?? ''
    const half = (text: string) => String(BigInt.asIntN(64, BigInt(`0x${text}`)))
    const structured = new shared.UUID.Structured()
      .setMostSignificantBits(half(hex.slice(0, 16)))
      .setLeastSignificantBits(half(hex.slice(16)))
    call.emit('data', response.setCorrelationId(new shared.UUID().setStructured(structured)))
    await flushEvents()
    expect(outcomes).toEqual(['stored'])
  })

  it('that was sent and is unanswered at its deadline may be stored', async () => {
    const { append, open, outcomes, flushEvents, calls } = bench()
    append(shortMs)
    append()
    await open()
    passShort()
    await flushEvents()
    expect(outcomes).toEqual(['not in time', undefined])
    calls[0]?.answer(0)
    calls[0]?.answer(1)
    await flushEvents()
    expect(outcomes).toEqual(['not in time', 'stored'])
  })

  it('that waits for a call until its deadline is never sent and not stored', async () => {
    const { append, open, outcomes, flushEvents } = bench()
    append(shortMs)
    append()
    passShort()
    await flushEvents()
    const call = await open()
    expect(outcomes).toEqual(['not sent', undefined])
    expect(call.written).toHaveLength(1)
  })
})

describe('a call that breaks', () => {
  it('leaves the outcome of all sent appends unknown, and no append without an outcome', async () => {
    const { append, open, outcomes, flushEvents } = bench()
    for (let n = 0; n < 300; n += 1) append()
    const call = await open()
    call.answer(7)
    call.emit('error', cut())
    call.emit('close')
    await flushEvents()
    expect(outcomes.filter((outcome) => outcome === 'unknown')).toHaveLength(299)
    expect(outcomes[7]).toBe('stored')
  })

  it.each(['end', 'close'])('breaks in the same way by its %s alone', async (event) => {
    const { append, open, outcomes, flushEvents } = bench()
    append()
    const call = await open()
    call.emit(event)
    await flushEvents()
    expect(outcomes).toEqual(['unknown'])
    expect(call.isCancelled).toBe(true)
  })

  it('is replaced at the next append, after a check of the leader', async () => {
    const { append, open, outcomes, flushEvents, leaderAsked } = bench()
    append()
    const first = await open()
    first.emit('error', cut())
    await flushEvents()
    append()
    const second = await open()
    second.answer(0)
    await flushEvents()
    expect(outcomes).toEqual(['unknown', 'stored'])
    expect(leaderAsked).toEqual([false, true])
  })

  it('gives no further answers, and its late errors have no effect', async () => {
    const { append, open, outcomes, flushEvents } = bench()
    append()
    const first = await open()
    first.emit('error', cut())
    append()
    const second = await open()
    first.emit('data', stored(second.written[0], 0))
    first.emit('error', cut())
    first.emit('end')
    await flushEvents()
    expect(outcomes).toEqual(['unknown', undefined])
    second.answer(0)
    await flushEvents()
    expect(outcomes).toEqual(['unknown', 'stored'])
  })

  it('before it was connected has sent nothing', async () => {
    const { append, open, outcomes, flushEvents } = bench()
    append()
    append()
    const call = await open()
    call.emit('error', noConnection())
    await flushEvents()
    expect(outcomes).toEqual(['refused', 'refused'])
  })

  it('with such an error after an answer leaves the outcomes unknown', async () => {
    const { append, open, outcomes, flushEvents } = bench()
    for (let n = 0; n < 3; n += 1) append()
    const call = await open()
    call.answer(0)
    call.emit('error', noConnection())
    await flushEvents()
    expect(outcomes).toEqual(['stored', 'unknown', 'unknown'])
  })

  const notReady = () =>
    Object.assign(new Error('14 UNAVAILABLE: Server Is Not Ready'), {
      code: 14,
      details: 'Server Is Not Ready',
    })

  it('by a refusal has refused the only unanswered append', async () => {
    const { append, open, outcomes, flushEvents } = bench()
    append()
    append()
    const call = await open()
    call.answer(0)
    call.emit('error', notReady())
    await flushEvents()
    expect(outcomes).toEqual(['stored', 'refused'])
  })

  it('by a refusal leaves the outcome of several unanswered appends unknown, including timed-out ones', async () => {
    const { append, open, outcomes, flushEvents } = bench()
    append(shortMs)
    const call = await open()
    passShort()
    await flushEvents()
    append()
    call.emit('error', notReady())
    await flushEvents()
    expect(outcomes).toEqual(['not in time', 'unknown'])
  })

  it('by an invalid answer gives every append an outcome', async () => {
    const { append, open, outcomes, flushEvents } = bench()
    append()
    append()
    const call = await open()
    const response = stored(call.written[0], 0)
    response.getSuccess()?.setCurrentRevision('no number')
    call.emit('data', response)
    await flushEvents()
    expect(outcomes).toEqual(['unknown', 'unknown'])
  })

  it('before it opened leaves waiting appends not stored, and the next append tries again', async () => {
    const { append, fail, open, outcomes, leaderAsked, flushEvents } = bench()
    append()
    append()
    await fail(noConnection())
    expect(outcomes).toEqual(['not sent', 'not sent'])
    append()
    const call = await open()
    call.answer(0)
    await flushEvents()
    expect(outcomes[2]).toBe('stored')
    expect(leaderAsked).toEqual([false, true])
  })
})

describe('backpressure', () => {
  it('keeps further appends queued until the call accepts more', async () => {
    const { append, open, flushEvents } = bench()
    for (let n = 0; n < 10; n += 1) append()
    const call = await open((each) => {
      each.takeOnly(4)
    })
    expect(call.written).toHaveLength(4)
    append()
    expect(call.written).toHaveLength(4)
    call.drain(3)
    await flushEvents()
    expect(call.written).toHaveLength(7)
    call.drain()
    expect(call.written).toHaveLength(11)
  })

  it('that lasts too long leaves queued appends not stored', async () => {
    const { append, open, outcomes, flushEvents } = bench()
    append(shortMs)
    append(shortMs)
    const call = await open((each) => {
      each.takeOnly(1)
    })
    passShort()
    await flushEvents()
    expect(outcomes).toEqual(['not in time', 'not sent'])
    call.drain()
    expect(call.written).toHaveLength(1)
  })

  it('on a call that breaks: sent appends are unknown, and queued ones go to the next call', async () => {
    const { append, open, outcomes, flushEvents } = bench()
    for (let n = 0; n < 4; n += 1) append()
    const first = await open((each) => {
      each.takeOnly(2)
    })
    first.answer(0)
    first.emit('error', cut())
    const second = await open()
    expect(second.written).toHaveLength(2)
    second.answer(0)
    second.answer(1)
    await flushEvents()
    expect(outcomes).toEqual(['stored', 'unknown', 'stored', 'stored'])
  })

  it('on a call that breaks before any answer: queued appends are refused, and no call follows', async () => {
    const { append, open, outcomes, flushEvents, leaderAsked } = bench()
    for (let n = 0; n < 4; n += 1) append()
    const first = await open((each) => {
      each.takeOnly(2)
    })
    first.emit('error', cut())
    await flushEvents()
    expect(outcomes).toEqual(['unknown', 'unknown', 'not sent', 'not sent'])
    expect(leaderAsked).toHaveLength(1)
  })
})

describe('a server that is not ready', () => {
  it('gets no new appends, while sent appends are still answered', async () => {
    const { append, open, outcomes, flushEvents, leaderAsked } = bench()
    append()
    append()
    const first = await open()
    const error = new status.Status().setMessage('Server Is Not Ready')
    const refusal = new streams.BatchAppendResp().setError(error)
    first.emit('data', refusal.setCorrelationId(first.written[0]?.getCorrelationId()))
    expect(first.hasLeft).toBe(true)
    append()
    const second = await open()
    expect(first.written).toHaveLength(2)
    expect(first.isCancelled).toBe(false)
    first.answer(1)
    second.answer(0)
    await flushEvents()
    expect(outcomes).toEqual(['refused', 'stored', 'stored'])
    expect(first.isCancelled).toBe(true)
    expect(leaderAsked).toEqual([false, true])
  })
})

describe('a call that reaches its maximum age', () => {
  const longerThanACall = 600_000

  it('is replaced, and ends after its last answer', async () => {
    const { append, open, outcomes, flushEvents, leaderAsked } = bench()
    append(longerThanACall)
    const first = await open()
    jest.advanceTimersByTime(300_000)
    append()
    const second = await open()
    expect(first.isCancelled).toBe(false)
    first.answer(0)
    second.answer(0)
    await flushEvents()
    expect(outcomes).toEqual(['stored', 'stored'])
    expect([first.isCancelled, second.isCancelled]).toEqual([true, false])
    expect(leaderAsked).toEqual([false, false])
  })
})

describe('a batch appender that is closed', () => {
  it('ends its call, even one that opens later', async () => {
    const one = bench()
    one.append()
    const call = await one.open()
    call.answer(0)
    await one.flushEvents()
    one.appender.close()
    expect(call.isCancelled).toBe(true)
    const other = bench()
    other.append(shortMs)
    passShort()
    await other.flushEvents()
    expect(other.outcomes).toEqual(['not sent'])
    other.appender.close()
    const late = await other.open()
    expect(late.isCancelled).toBe(true)
  })
})

/** The events that can happen to a batch appender. A number chooses among the pending items. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: 'append' as const, pick: 0 }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('answer' as const), pick: fc.nat(50) }) },
  ...(['open', 'fail', 'break', 'drain', 'expire', 'old answer'] as const).map((kind) => ({
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant(kind), pick: fc.nat(50) }),
  })),
)

describe('in every order of events', () => {
  it('each append gets one outcome, and counts as not sent only if no call carried it', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), play), {
      numRuns: quickOrThorough({ quick: 15, thorough: 300 }),
    })
  })
})

async function play(steps: readonly { kind: string; pick: number }[]): Promise<void> {
  const { append, open, fail, outcomes, answers, calls, flushEvents } = bench()
  const streams: string[] = []
  const answered = new Set<string>()
  const call = () => calls.at(-1)
  const streamOf = (message: FakeCall['written'][number]) => partsOf(message).stream
  const moves: Record<string, (pick: number) => unknown> = {
    append: () => {
      const stream = `entity-${String(streams.length)}`
      streams.push(stream)
      append(1_000, stream)
    },
    open: (pick) =>
      open((each) => {
        each.takeOnly(1 + (pick % 5))
      }),
    fail: () => fail(cut()),
    answer: (pick) => {
      const one = call()
      const message = one?.written[pick % Math.max(1, one.written.length)]
      if (one === undefined || one.isCancelled || message === undefined) return
      const n = Number(streamOf(message).split('-')[1])
      if (outcomes[n] === undefined) answered.add(streamOf(message))
      one.emit('data', stored(message, n))
    },
    'old answer': (pick) => {
      const old = calls.at(-2)
      const message = call()?.written[pick % Math.max(1, call()?.written.length ?? 0)]
      if (old?.isCancelled === true && message !== undefined) old.emit('data', stored(message, 999))
    },
    break: (pick) => {
      call()?.emit(pick % 3 === 0 ? 'end' : 'error', cut())
    },
    drain: (pick) => {
      call()?.drain(1 + (pick % 5))
    },
    expire: () => {
      jest.advanceTimersByTime(600)
    },
  }
  for (const { kind, pick } of steps) {
    await moves[kind]?.(pick)
    await flushEvents()
  }
  jest.advanceTimersByTime(2_000)
  await flushEvents()
  const sent = new Set(calls.flatMap(({ written }) => written.map(streamOf)))
  const writes = calls.flatMap(({ written }) => written).length
  expect(writes).toBe(sent.size)
  for (const [n, stream] of streams.entries()) {
    const outcome = outcomes[n]
    expect(outcome).toBeDefined()
    expect(outcome === 'not sent').toBe(!sent.has(stream))
    expect(outcome === 'stored').toBe(answered.has(stream))
    if (outcome === 'stored') expect(answers[n]).toMatchObject({ revision: BigInt(n) })
  }
}
