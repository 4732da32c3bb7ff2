import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import type { DossierError, FollowedFact } from '../../src/client/dossier.js'
import { framesOf } from '../../src/client/server-sent-events.js'
import { broken, fault, foreign, ScriptedService, success, type Step } from './scripted-service.js'

function factOf(position: number) {
  const data = { now: '2026-11-20T09:30:00.000Z' }
  const id = `f-${String(position)}`
  return { position: String(position), id, type: 'TimePassed', stream: 's', data, request_id: 'r' }
}

function frame(position: number): string {
  const fact = factOf(position)
  return `id: ${String(position)}.aa\nevent: TimePassed\ndata: ${JSON.stringify(fact)}\n\n`
}

const live = 'id: 9.aa\nevent: live\ndata: {}\n\n'

/** Sends text of a stream. Then ends the connection, breaks it, or leaves it open. */
function stream(text: string, then: 'ends' | 'breaks' | 'stays' = 'stays'): Step {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', position: '1' })
    response.write(text, () => {
      if (then === 'ends') response.end()
      if (then === 'breaks') response.destroy()
    })
  }
}

/** Takes a number of facts, and leaves the loop. */
async function take(count: number, facts: AsyncIterable<FollowedFact>): Promise<FollowedFact[]> {
  const taken: FollowedFact[] = []
  for await (const fact of facts) {
    taken.push(fact)
    if (taken.length === count) break
  }
  return taken
}

const cursors = (facts: readonly FollowedFact[]) => facts.map(({ cursor }) => cursor)
const afters = ({ received }: ScriptedService) =>
  received.map(({ query }) => query['cursor'] ?? query['after'])

describe('a stream of facts', () => {
  it('requests the filter of the caller, and yields each fact with its cursor', async () => {
    const service = await ScriptedService.start(stream(frame(3) + frame(4)))
    const dossier = service.client({ position: '2' })
    const facts = dossier.facts({
      after: 'start',
      types: ['TimePassed', 'EventRecorded'],
      entity: 'ada',
    })
    expect(await take(2, facts)).toEqual([
      { ...factOf(3), cursor: '3.aa' },
      { ...factOf(4), cursor: '4.aa' },
    ])
    expect(service.received[0]).toMatchObject({
      path: '/facts',
      query: { after: 'start', types: 'TimePassed,EventRecorded', entity: 'ada' },
      headers: { accept: 'text/event-stream', position: '2', authorization: 'Bearer a-key' },
    })
    expect(dossier.position).toBe('4')
  })

  it.each([
    ['the service ends it', stream(frame(1) + frame(2), 'ends')],
    ['the connection breaks', stream(frame(1) + frame(2), 'breaks')],
    ['it breaks within a fact', stream(frame(1) + frame(2) + frame(3).slice(0, -2), 'breaks')],
  ])('resumes from the last cursor when %s', async (_, first) => {
    const service = await ScriptedService.start(
      first,
      broken,
      fault(503, 'shutting_down', { 'retry-after': '0' }),
      stream(frame(3)),
    )
    const breaks: DossierError[] = []
    const onBreak = (error: DossierError) => breaks.push(error)
    const facts = service.client().facts({ onBreak })
    expect(cursors(await take(3, facts))).toEqual(['1.aa', '2.aa', '3.aa'])
    expect(afters(service)).toEqual([undefined, '2.aa', '2.aa', '2.aa'])
    expect(breaks.map(({ code }) => code)).toEqual(['no_reply', 'no_reply', 'shutting_down'])
  })

  it('resumes from the cursor of a heartbeat', async () => {
    const service = await ScriptedService.start(
      stream(`${frame(1)}id: 8.aa\n\n`, 'ends'),
      stream(live + frame(9)),
    )
    let caughtUp = 0
    const told: string[] = []
    const facts = service.client().facts({
      after: 'now',
      onLive: () => (caughtUp += 1),
      onCursor: (cursor) => told.push(cursor),
    })
    expect(cursors(await take(2, facts))).toEqual(['1.aa', '9.aa'])
    expect(afters(service)).toEqual(['now', '8.aa'])
    expect(facts.cursor).toBe('9.aa')
    expect(caughtUp).toBe(1)
    expect(told).toEqual(['8.aa', '9.aa'])
  })

  it('ends with advice when the store does not know the cursor', async () => {
    const service = await ScriptedService.start(
      stream(frame(1), 'ends'),
      fault(412, 'position_unknown'),
    )
    await expect(take(2, service.client().facts())).rejects.toMatchObject({
      code: 'position_unknown',
      status: 412,
      message: expect.stringMatching(/forget\(\).*"start".*back-up/),
    })
  })

  it.each([
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [400, 'malformed_request'],
  ])('ends when it is refused with %d', async (status, code) => {
    const service = await ScriptedService.start(fault(status, code))
    await expect(take(1, service.client().facts())).rejects.toMatchObject({ code, status })
    expect(service.received).toHaveLength(1)
  })

  it('ends when the reply is not a stream', async () => {
    const service = await ScriptedService.start(foreign(200, 'hello'))
    const facts = service.client().facts()
    await expect(take(1, facts)).rejects.toMatchObject({ code: 'unreadable_reply', status: 200 })
  })

  it('waits for its first connection no longer than the time limit of a call', async () => {
    const service = await ScriptedService.start(fault(503, 'overloaded', { 'retry-after': '0' }))
    const facts = service.client({ timeoutMs: 1_500 }).facts()
    await expect(take(1, facts)).rejects.toMatchObject({ code: 'overloaded' })
    expect(service.received.length).toBeGreaterThan(1)
  })

  describe('with a fake clock', () => {
    beforeEach(() => {
      const doNotFake = [
        ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
        ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
      ]
      jest.useFakeTimers({ doNotFake })
    })
    afterEach(() => {
      jest.useRealTimers()
    })

    it('reconnects after 45 s without a heartbeat', async () => {
      const service = await ScriptedService.start(stream(frame(1)), stream(frame(2)))
      const facts = service.client().facts()[Symbol.asyncIterator]()
      await facts.next()
      const second = facts.next()
      await jest.advanceTimersByTimeAsync(44_999)
      expect(service.received).toHaveLength(1)
      await jest.advanceTimersByTimeAsync(1)
      // Time for the break, and for the pause after it.
      const broke = setInterval(() => void jest.advanceTimersByTimeAsync(10), 1)
      expect(await second).toMatchObject({ value: { cursor: '2.aa' } })
      clearInterval(broke)
      await facts.return()
    })

    it('does not count the time of a slow loop as silence', async () => {
      let send: ((text: string) => void) | undefined
      const service = await ScriptedService.start((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(frame(1))
        send = (text) => response.write(text)
      })
      const facts = service.client().facts()[Symbol.asyncIterator]()
      await facts.next()
      await jest.advanceTimersByTimeAsync(100_000)
      send?.(frame(2))
      expect(await facts.next()).toMatchObject({ value: { cursor: '2.aa' } })
      expect(service.received).toHaveLength(1)
      await facts.return()
    })
  })

  it('ends with the reason of the signal: while it waits, and before it began', async () => {
    const reason = new Error('enough')
    const stop = new AbortController()
    const service = await ScriptedService.start(stream(frame(1)))
    const loop = async (signal: AbortSignal) => {
      for await (const { position } of service.client().facts({ signal })) {
        expect(position).toBe('1')
        setImmediate(() => {
          stop.abort(reason)
        })
      }
    }
    await expect(loop(stop.signal)).rejects.toBe(reason)
    await expect(loop(AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(service.received).toHaveLength(1)
  })

  it('also has single pages', async () => {
    const page = { items: [factOf(1)], next_cursor: '1.aa', at_head: true }
    const service = await ScriptedService.start(success(page), fault(412, 'position_unknown'))
    const facts = service.client().facts({ after: 'start' })
    expect(await facts.page({ limit: 1 })).toEqual(page)
    await expect(facts.page({ cursor: '1.aa' })).rejects.toMatchObject({
      message: expect.stringContaining('forget()'),
    })
    expect(afters(service)).toEqual(['start', '1.aa'])
  })
})

describe('the parser of server-sent events', () => {
  async function parse(text: string, pieces: (bytes: Uint8Array) => Uint8Array[]) {
    const chunks = pieces(new TextEncoder().encode(text))
    const frames = []
    for await (const one of framesOf(() => Promise.resolve(chunks.shift()))) frames.push(one)
    return frames
  }
  const whole = (bytes: Uint8Array) => [bytes]
  const single = (bytes: Uint8Array) => Array.from(bytes, (byte) => Uint8Array.of(byte))
  const text =
    ': a comment\nid: 1\r\nevent:x\rdata: å€😀\r\ndata:  two\n\n\n' +
    'id:2\r\r' +
    'data\n\nretry: 5\nevent: y\ndata: {"a":":b"}\n\r\ndata: cut off\n'

  it('reads more bytes only when all frames are taken', async () => {
    let asked = 0
    const frames = framesOf(() => {
      asked += 1
      return Promise.resolve(new TextEncoder().encode('data: 1\n\ndata: 2\n\n'))
    })
    for (const expected of [1, 1, 2, 2, 3]) {
      await frames.next()
      expect(asked).toBe(expected)
    }
    await frames.return()
  })

  it('accepts every kind of line end, wherever the bytes are split', async () => {
    const expected = [
      { id: '1', event: 'x', data: 'å€😀\n two' },
      { id: '2', event: undefined, data: undefined },
      { id: undefined, event: undefined, data: '' },
      { id: undefined, event: 'y', data: '{"a":":b"}' },
    ]
    expect(await parse(text, whole)).toEqual(expected)
    expect(await parse(text, single)).toEqual(expected)
    for (let at = 1; at < text.length; at += 1) {
      expect(await parse(text, (bytes) => [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(
        expected,
      )
    }
  })
})
