import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { RefusalAt } from '../../../../src/application/ports/refusal.js'
import type { SearchPart } from '../../../../src/application/reading/ports/read-model.js'
import { JsonText } from '../../../../src/domain/json.js'
import { expectFault, shownFault } from '../../../support/fault-expectation.js'
import { listeningService, readKey } from '../../../support/http-service.js'

const at = '2026-11-20T09:30:00.000Z'
const path = '/search/entities?property=/country&is=NL'

const found: SearchPart = {
  isIndexed: false,
  entities: 3,
  done: 3,
  next: undefined,
  items: [
    {
      externalId: 'ada',
      entityId: 'id',
      properties: new JsonText('{"country":"NL"}'),
      createdAt: at,
      recordedAt: at,
      updatedAt: at,
      eventId: undefined,
      occurredAt: undefined,
      voidedAt: undefined,
    },
  ],
}

let service: Awaited<ReturnType<typeof listeningService>>
const sent: ClientRequest[] = []
let partEnds: ((part: SearchPart) => void) | undefined

beforeEach(async () => {
  service = await listeningService()
  service.readModel.planned.searchEntities = () => found
})
afterEach(async () => {
  for (const one of sent.splice(0)) one.destroy()
  await service.server.close()
})

/** Holds each part of a search after the first one until the test completes it. Counts the cancelled parts. */
function holdParts(): { cancelled: number } {
  const held = { cancelled: 0 }
  const query = service.readModel.query.bind(service.readModel)
  service.readModel.planned.searchEntities = () => ({ ...found, next: { entity: 1, done: 3 } })
  service.readModel.query = async (name, asked, want) => {
    const answer = await query(name, asked, want)
    if (name !== 'searchEntities' || want.position !== undefined || !('after' in asked))
      return answer
    const value = await new Promise((resolve, reject) => {
      partEnds = resolve
      want.cancellation?.listen(() => {
        held.cancelled += 1
        reject(new RefusalAt('overloaded', 1))
      })
    })
    return { ...answer, value: value as typeof answer.value }
  }
  return held
}

async function search(key = readKey, url = path): Promise<IncomingMessage> {
  const one = request({
    host: '127.0.0.1',
    port: service.port,
    path: url,
    headers: { authorization: `Bearer ${key}` },
    agent: false,
  })
  sent.push(one)
  one.end()
  const [reply] = (await once(one, 'response')) as [IncomingMessage]
  return reply
}

async function textOf(reply: IncomingMessage): Promise<string> {
  let text = ''
  for await (const bytes of reply) text += String(bytes)
  return text
}

async function framesOf(reply: IncomingMessage): Promise<[string, unknown][]> {
  const frames = (await textOf(reply)).split('\n\n').slice(0, -1)
  return frames.map((frame) => {
    const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? []
    return [event, JSON.parse(data)]
  })
}

describe('GET /search/entities', () => {
  test('sends hits and the result', async () => {
    const reply = await search()
    expect(reply.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      position: '0',
    })
    expect(await framesOf(reply)).toEqual([
      [
        'hits',
        {
          items: [
            {
              external_id: 'ada',
              entity_id: 'id',
              properties: { country: 'NL' },
              created_at: at,
              recorded_at: at,
              updated_at: at,
            },
          ],
        },
      ],
      ['result', { entities: 3, looked_at: 3, hits: 1, indexed: false, complete: true }],
    ])
    expect(service.readModel.asked.at(-1)?.query).toMatchObject({ pointer: '/country', text: 'NL' })
  })

  test('sends the event that matches', async () => {
    const items = found.items.map((item) => ({
      ...item,
      eventId: 'e',
      occurredAt: at,
      voidedAt: at,
    }))
    service.readModel.planned.searchEntities = () => ({ ...found, items })
    const [[, data] = []] = await framesOf(
      await search(readKey, `${path}&event=buy&include=voided`),
    )
    expect(data).toMatchObject({ items: [{ event: { id: 'e', occurred_at: at, voided_at: at } }] })
    expect(service.readModel.asked.at(-1)?.query).toMatchObject({ event: 'buy', withVoided: true })
  })

  test('refuses a wrong query before anything is searched', async () => {
    const headers = { authorization: `Bearer ${readKey}` }
    const wrong = async (url: string) => {
      const reply = await service.server.inject({ url, headers })
      return expectFault(reply, 400, 'malformed_request').details.map((one) => one.path)
    }
    expect(await wrong('/search/entities')).toEqual(['/property', '/is'])
    expect(await wrong('/search/entities?property=a&is=')).toEqual(['/property'])
    expect(await wrong(`${path}&properties=${'/a,'.repeat(17)}`)).toEqual(['/properties'])
    expect(service.readModel.asked).toEqual([])
  })

  test('a second search of a key gets 429, until the first has ended', async () => {
    holdParts()
    const first = await search()
    const second = await search()
    expect([second.statusCode, second.headers['retry-after']]).toEqual([429, '1'])
    expect(shownFault(await textOf(second)).code).toBe('search_under_way')
    partEnds?.(found)
    expect((await framesOf(first)).at(-1)).toMatchObject(['result', { complete: true }])
    expect((await search()).statusCode).toBe(200)
  })

  test('a search ends when its caller disconnects', async () => {
    const held = holdParts()
    await search()
    const [socket] = service.sockets
    sent[0]?.destroy()
    if (socket !== undefined) await once(socket, 'close')
    expect(held.cancelled).toBe(1)
    expect((await search()).statusCode).toBe(200)
  })

  test('a search ends when the service stops', async () => {
    const held = holdParts()
    const reply = await search()
    const frames = framesOf(reply)
    const closed = service.lifecycle.close(service.server)
    expect((await frames).map(([event]) => event)).not.toContain('result')
    await closed
    expect(held.cancelled).toBe(1)
  })

  test('a failure of a later part is sent as a fault', async () => {
    holdParts()
    const reply = await search()
    const frames = framesOf(reply)
    service.readModel.planned.searchEntities = () => {
      throw new RefusalAt('read_model_behind', 1)
    }
    partEnds?.({ ...found, items: [], next: { entity: 1, done: 3 } })
    expect((await frames).at(-1)).toMatchObject(['fault', { code: 'read_model_behind' }])
  })
})
