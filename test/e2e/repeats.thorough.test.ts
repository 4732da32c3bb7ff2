import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { sqliteFacts } from '../support/sqlite-facts.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
let place: string
let service: StartedService

beforeEach(async () => {
  place = folder()
  service = await StartedService.start(place)
  await service.createEntity('ada')
})

afterEach(async () => {
  await service.end()
})

const once = { entity_external_id: 'ada', name: 'purchase', properties: { price: 12.5 } }
const key = { 'idempotency-key': 'order-1' }

async function answer(reply: Response) {
  return {
    status: reply.status,
    position: reply.headers.get('position'),
    replayed: reply.headers.get('idempotency-replayed'),
    body: (await reply.json()) as { data: { id: string; timestamp: string } },
  }
}

async function send(times: number) {
  const replies = await Promise.all(
    Array.from({ length: times }, () => service.post('/events', once, key)),
  )
  return Promise.all(replies.map(answer))
}

it('answers one request many times, fifty at once and over restarts, with one stored fact', async () => {
  const rounds = 20
  const stopped = 7
  const killed = 14
  const answers = await send(50)
  for (let round = 1; round < rounds; round += 1) {
    if (round === stopped) await service.end()
    if (round === killed) await service.end('SIGKILL')
    if (!service.runs) service = await StartedService.start(place)
    answers.push(...(await send(50)))
  }
  const [, stored, ...more] = sqliteFacts(service.database, 'entity-ada')
  expect(more).toEqual([])
  expect(answers).toHaveLength(rounds * 50)
  expect(answers.filter(({ replayed }) => replayed === null)).toHaveLength(1)
  const recorded = JSON.parse(stored?.data ?? '') as { recordedAt: string }
  const data = { id: stored?.id, ...once, timestamp: recorded.recordedAt }
  for (const { status, position, body } of answers) {
    expect({ status, position, body }).toEqual({
      status: 201,
      position: answers[0]?.position,
      body: { status: 'success', data },
    })
  }
}, 60_000)

it('gives two bodies under one key at once one 201 and one 422', async () => {
  const races = 50
  for (let n = 0; n < races; n += 1) {
    const shared = { 'idempotency-key': `race-${String(n)}` }
    const replies = await Promise.all(
      [1, 2].map((price) => service.post('/events', { ...once, properties: { price } }, shared)),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422])
  }
  expect(sqliteFacts(service.database, 'entity-ada')).toHaveLength(1 + races)
})
