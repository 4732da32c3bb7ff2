import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Previewed } from '../../../../src/application/segments/ports/segment-queries.js'
import { RefusalAt } from '../../../../src/application/ports/refusal.js'
import { framesOf, type Frame } from '../../../../src/client/server-sent-events.js'
import { expectFault, expectInvalid, shownFault } from '../../../support/fault-expectation.js'
import { listeningService, readKey } from '../../../support/http-service.js'
import { ManualTimers } from '../../../support/manual-timers.js'
import { post } from '../../../support/post.js'

const at = '2026-11-20T09:30:00.000Z'
const path = '/segments/preview'
const rule = { event: 'buy', within: '90d' } as const
const place = { position: 1, logTime: Date.parse(at) }

const whole: Previewed = {
  entities: 1,
  members: 1,
  digest: '00000000000000aa',
  sample: [{ digest: '00000000000000aa', entity: 3, externalId: 'ada' }],
  entering: {
    count: 2,
    sample: [
      { digest: '0a', entity: 9, externalId: 'bob' },
      { digest: '0b', entity: 3, externalId: 'ada' },
    ],
  },
  leaving: { count: 0, sample: [] },
  top: [{ entity: 3, externalId: 'ada', count: 2, sum: 0.5 }],
  events: { kinds: [], names: ['purchase'], unseen: ['buy'] },
  after: 3,
  isWhole: true,
}

let timers: ManualTimers
let service: Awaited<ReturnType<typeof listeningService>>
const sent: ClientRequest[] = []
/** Completes the current part of a preview. */
let partEnds: ((part: Previewed) => void) | undefined

beforeEach(async () => {
  timers = new ManualTimers()
  service = await listeningService({ streamTimers: timers })
  await post(service.server, '/entities', { external_id: 'ada' })
  const { planned } = service.readModel
  planned.segments = () => []
  planned.estimateRule = () => ({ at: place, entities: 1_000, lookedAt: 100, members: 10 })
  planned.previewRule = () => whole
})
afterEach(async () => {
  for (const one of sent.splice(0)) one.destroy()
  await service.server.close()
})

/** Holds each part of a preview until the test completes it. */
function holdParts(): void {
  const query = service.readModel.query.bind(service.readModel)
  service.readModel.query = async (name, asked, want) => {
    const answer = await query(name, asked, want)
    if (name !== 'previewRule') return answer
    const value = await new Promise((resolve, reject) => {
      partEnds = resolve
      want.cancellation?.listen(() => {
        reject(new RefusalAt('overloaded', 1))
      })
    })
    return { ...answer, value: value as typeof answer.value }
  }
}

interface Reply {
  readonly reply: IncomingMessage
  readonly frames: AsyncGenerator<Frame, void, undefined>
}

function preview(body: unknown, key = readKey): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const one = request({
      host: '127.0.0.1',
      port: service.port,
      path,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      agent: false,
    })
    sent.push(one)
    one.on('error', reject)
    one.on('response', (reply) => {
      const bytes: AsyncIterator<Uint8Array> = reply[Symbol.asyncIterator]()
      const frames = framesOf(async () => {
        const read = await bytes.next()
        return read.done === true ? undefined : read.value
      })
      resolve({ reply, frames })
    })
    one.end(JSON.stringify(body))
  })
}

async function all({ frames }: Reply) {
  const found: [string | undefined, unknown][] = []
  for await (const { event, data = '' } of frames) found.push([event, JSON.parse(data)])
  return found
}

async function fault({ reply }: Reply, status: number) {
  let text = ''
  for await (const bytes of reply) text += String(bytes)
  expect(reply.statusCode).toBe(status)
  return shownFault(text)
}

describe('POST /segments/preview', () => {
  test('sends an estimate with its range, and ends with the result', async () => {
    const answered = await preview({ rule, sample: 2 })
    expect(answered.reply.statusCode).toBe(200)
    expect(answered.reply.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      position: '1',
      'log-time': at,
    })
    const where = { position: '1', log_time: at }
    expect(await all(answered)).toEqual([
      ['estimate', { ...where, entities: 1_000, looked_at: 100, members: 100, low: 55, high: 175 }],
      [
        'result',
        {
          ...where,
          members: 1,
          digest: '00000000000000aa',
          sample: ['ada'],
          entering: { count: 2, sample: ['ada', 'bob'] },
          leaving: { count: 0, sample: [] },
          top: { by: rule, items: [{ external_id: 'ada', count: 2, sum: null }] },
          event_names: ['purchase'],
          unseen_events: ['buy'],
        },
      ],
    ])
  })

  test('ranks members by a sum if requested, and not at all if the rule counts no events', async () => {
    const resultOf = async (body: object) => (await all(await preview(body))).at(-1)?.[1]
    expect(await resultOf({ rule, sum: '/total' })).toMatchObject({
      top: { by: rule, items: [{ external_id: 'ada', count: 2, sum: 0.5 }] },
    })
    expect(service.readModel.asked.at(-1)?.query).toMatchObject({ sum: '/total' })
    expect(await resultOf({ rule: { not: rule } })).toMatchObject({ top: null })
  })

  test('reports its progress, and requests each part with the previous state', async () => {
    holdParts()
    const { frames } = await preview({ rule })
    expect((await frames.next()).value?.event).toBe('estimate')
    const soFar = { ...whole, entities: 400, isWhole: false }
    partEnds?.(soFar)
    const { event, data } = (await frames.next()).value ?? {}
    expect([event, data]).toEqual(['progress', '{"entities":1000,"done":400,"members":1}'])
    expect(service.readModel.asked.at(-1)).toEqual({
      name: 'previewRule',
      query: { rule, at: place, sample: 10, soFar },
    })
    partEnds?.(whole)
    expect((await frames.next()).value?.event).toBe('result')
    expect((await frames.next()).done).toBe(true)
  })

  test('refuses all faults of the body, like a definition', async () => {
    const headers = { authorization: `Bearer ${readKey}`, 'content-type': 'application/json' }
    const send = (payload: object) =>
      service.server.inject({ method: 'POST', url: path, headers, payload })
    const reply = await send({
      rule: { all: [{ event: 'buy', within: '0d' }] },
      against: 'No',
      sample: 101,
      sum: 'total',
      more: 1,
    })
    expectInvalid(
      reply,
      '/rule/all/0/within not_a_time',
      '/against bad_characters',
      '/sample number_out_of_range',
      '/sum bad_characters',
      '/more unknown_field',
    )
    const half = await send({ rule, sample: 1.5 })
    expectInvalid(half, '/sample wrong_type')
    expectInvalid(await send({}), '/rule required')
    const unknown = await send({ rule: { not: { segment: 'gone' } } })
    expectInvalid(unknown, '/rule/not/segment unknown_segment')
    expectFault(await send({ rule, against: 'gone' }), 404, 'segment_not_found')
    service.readModel.planned.estimateRule = () => {
      throw new RefusalAt('building', 1)
    }
    expectFault(await send({ rule }), 503, 'building')
  })

  test('runs one preview at a time, whoever requests it', async () => {
    holdParts()
    const first = await preview({ rule })
    const refused = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const second = await preview({ rule })
        expect(second.reply.headers['retry-after']).toBe('1')
        return (await fault(second, 429)).code
      }),
    )
    expect(new Set(refused)).toEqual(new Set(['preview_under_way']))
    partEnds?.(whole)
    await all(first)
    service.readModel.planned.segments = () => {
      throw new RefusalAt('read_model_behind', 1)
    }
    // A refused preview does not block the next one.
    expect((await fault(await preview({ rule }), 503)).code).toBe('read_model_behind')
    service.readModel.planned.segments = () => []
    const next = await preview({ rule })
    partEnds?.(whole)
    expect(next.reply.statusCode).toBe(200)
  })

  test('is cancelled when its caller disconnects, and the next preview may start', async () => {
    holdParts()
    await preview({ rule })
    const [socket] = service.sockets
    sent[0]?.destroy()
    if (socket !== undefined) await once(socket, 'close')
    expect((await preview({ rule })).reply.statusCode).toBe(200)
  })

  test('ends with a fault when the read model is rebuilt', async () => {
    holdParts()
    const { frames } = await preview({ rule })
    await frames.next()
    service.readModel.beginBuilding()
    const { event, data = '' } = (await frames.next()).value ?? {}
    expect([event, JSON.parse(data)]).toEqual([
      'fault',
      expect.objectContaining({ code: 'read_model_behind' }),
    ])
    expect((await frames.next()).done).toBe(true)
    expect(service.readModel.watchers).toBe(0)
  })

  test('ends without a result when the service stops', async () => {
    holdParts()
    const { frames } = await preview({ rule })
    await frames.next()
    const closed = service.lifecycle.close(service.server)
    expect((await frames.next()).done).toBe(true)
    await closed
  })
})
