import { beforeEach, describe, expect, test } from '@jest/globals'
import { Refusal } from '../../../../src/application/ports/refusal.js'
import { expectFault } from '../../../support/fault-expectation.js'
import { get, withQuery } from '../../../support/get.js'
import type { HttpService } from '../../../support/http-service.js'
import { patch, post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const impatient = sharedHttpService()
// Waits so long that a test that reaches the timeout fails.
const patient = sharedHttpService({ options: { readWaitMs: 3_600_000 } })
let service: HttpService
beforeEach(() => {
  service = impatient
})

const now = '2026-11-20T09:30:00.000Z'
const reads = [
  '/entities/ada',
  '/entities',
  '/entities/ada/events',
  '/entities/ada/history',
  '/facts',
]
const freshReads = ['/entities/ada/history', withQuery('/entities/ada', { as_of: now })]

const create = (id = 'ada') => post(service.server, '/entities', { external_id: id })

/** Resolves when the read model was queried. */
async function whenAsked(): Promise<void> {
  while (service.readModel.asked.length === 0) await new Promise(setImmediate)
}

describe.each(reads)('%s', (url) => {
  test('answers immediately when the position is applied, and reports the applied position', async () => {
    const written = await create()
    const reply = await get(service.server, url, { position: String(written.headers['position']) })
    expect([reply.statusCode, reply.headers['position']]).toEqual([200, '1'])
    expect((await get(service.server, url, { position: '0' })).statusCode).toBe(200)
  })

  test('waits for a position that is not applied yet', async () => {
    service = patient
    await create()
    service.readModel.hold()
    const written = await create('eve')
    const asked = get(service.server, url, { position: String(written.headers['position']) })
    await whenAsked()
    service.readModel.catchUp()
    const reply = await asked
    expect([reply.statusCode, reply.headers['position']]).toEqual([200, '2'])
  })

  test('is refused when the position is not applied in time, with the applied position', async () => {
    await create()
    service.readModel.hold()
    await create('eve')
    const reply = await get(service.server, url, { position: '2' })
    const fault = expectFault(reply, 503, 'read_model_behind')
    expect(reply.headers).toMatchObject({ position: '1', 'retry-after': '1' })
    expect(fault.message).not.toContain('stored')
  })

  test('is refused for a position that the store has not reached', async () => {
    await create()
    for (const position of ['2', '9007199254740993', '9'.repeat(20)]) {
      const reply = await get(service.server, url, { position })
      expectFault(reply, 412, 'position_unknown')
      expect(reply.headers['position']).toBe('1')
    }
  })

  test.each(['-1', '', 'x', '1.0', '0x1', '1'.repeat(21), '1, 2', '١'])(
    'is refused for a malformed position: %j',
    async (position) => {
      await create()
      const bytes = Buffer.from(position).toString('latin1')
      const reply = await get(service.server, url, { position: bytes })
      expect(expectFault(reply, 400, 'malformed_request').message).toContain('Position')
    },
  )

  test('is refused while the read model is rebuilt', async () => {
    await create()
    service.readModel.beginBuilding()
    const reply = await get(service.server, url)
    expectFault(reply, 503, 'read_model_behind')
    expect(reply.headers['position']).toBe('0')
    service.readModel.endBuilding()
    expect((await get(service.server, url)).statusCode).toBe(200)
  })
})

describe('a read without a position does not wait', () => {
  test.each(reads.filter((url) => !freshReads.includes(url)))('%s', async (url) => {
    await create()
    service.readModel.hold()
    await create('eve')
    const reply = await get(service.server, url)
    expect([reply.statusCode, reply.headers['position']]).toEqual([200, '1'])
  })
})

describe('a read of the past includes everything that is stored', () => {
  test.each(freshReads)('%s', async (url) => {
    await create()
    service.readModel.hold()
    await patch(service.server, 'ada', { set: { plan: 'paid' } })
    for (const headers of [{}, { position: '1' }]) {
      expectFault(await get(service.server, url, headers), 503, 'read_model_behind')
    }
    service.readModel.catchUp()
    expect((await get(service.server, url)).headers['position']).toBe('2')
  })

  test.each(freshReads)('and refuses positions beyond that: %s', async (url) => {
    await create()
    expectFault(await get(service.server, url, { position: '2' }), 412, 'position_unknown')
  })
})

describe('Prefer', () => {
  beforeEach(async () => {
    service = patient
    await create()
    service.readModel.hold()
    await create('eve')
  })

  test.each([
    'wait=0',
    'WAIT=0',
    'wait="0"',
    ' wait = 0 ',
    'respond-async, wait=0',
    'wait=0, wait=100',
    'wait=0;x=1',
    'x="a, wait=9", wait=0',
    'return=minimal;wait=7, wait=0',
  ])('shortens the wait: %s', async (prefer) => {
    const reply = await get(service.server, '/entities', { position: '2', prefer })
    expectFault(reply, 503, 'read_model_behind')
  })
})

test.each([
  'wait=100',
  'wait',
  'wait=',
  'wait=x',
  'wait=-1',
  'wait=0.5',
  'wait=99999999999999999999',
  '=',
  ',,;',
  '"',
  'x="wait=0',
  'wait=100, wait=0',
  'wait=1e1',
])('with a longer wait or an unknown preference changes nothing: %s', async (prefer) => {
  await create()
  const reply = await get(service.server, '/entities', { prefer })
  expect(reply.statusCode).toBe(200)
  service.readModel.hold()
  await create('eve')
  expectFault(
    await get(service.server, '/entities', { position: '2', prefer }),
    503,
    'read_model_behind',
  )
})

describe('GET /health/ready/reads', () => {
  const ready = () => service.server.inject('/health/ready/reads')

  test('needs no key', async () => {
    const reply = await ready()
    expect(reply.json()).toEqual({ status: 'success', data: { health: 'ready' } })
    expect([reply.statusCode, reply.headers['position']]).toEqual([200, '0'])
  })

  test('fails when reads are not answered, while writes continue', async () => {
    await create()
    service.readModel.beginBuilding()
    const building = await ready()
    expectFault(building, 503, 'read_model_behind')
    expect(building.headers).toMatchObject({ position: '0', 'retry-after': '1' })
    expect((await service.server.inject('/health/ready')).statusCode).toBe(200)
    expect((await create('eve')).statusCode).toBe(201)
    service.readModel.endBuilding()
    expect((await ready()).statusCode).toBe(200)
    service.readModel.trouble = 'the disk is full'
    const troubled = await ready()
    expectFault(troubled, 503, 'read_model_behind')
    expect(troubled.body).not.toContain('disk')
  })

  test('fails when the service stops', async () => {
    for (const state of ['draining', 'closing'] as const) {
      service.lifecycle.state = state
      const fault = expectFault(await ready(), 503, 'shutting_down')
      expect(fault.message).not.toContain('stored')
    }
  })
})

test('an entity with too many facts is not folded', async () => {
  await create()
  service.readModel.failure = new Refusal('too_many_facts', 'x')
  const reply = await get(service.server, withQuery('/entities/ada', { as_of: now }))
  expect(expectFault(reply, 422, 'too_many_facts').message).toContain('Ask without as_of')
  expect(reply.headers['position']).toBe('1')
})
