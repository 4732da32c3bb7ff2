import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { Ledger } from '../../fault-injection/ledger.js'
import { Load } from '../../fault-injection/load.js'
import { Target } from '../../fault-injection/target.js'

test('the next that is stored is one that was sent after it was asked for', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const target = new Target()
  target.up(`http://127.0.0.1:${String(port)}`)
  const load = new Load({
    ledger: new Ledger(),
    target,
    keyed: 0,
    unkeyed: 1,
    restMs: 0,
    entityOf: () => 'ada',
  })
  const reached: string[] = []
  const request = async () => {
    const [, reply] = (await once(server, 'request')) as [unknown, ServerResponse]
    return () => reply.writeHead(201, { 'content-length': 2 }).end('{}')
  }

  const answerFirst = await request()
  void load.acknowledged(1).then(() => reached.push('acknowledged'))
  const nextStored = load.nextStored().then(() => reached.push('next stored'))
  answerFirst()
  const answerSecond = await request()
  expect(reached).toEqual(['acknowledged'])
  answerSecond()
  const answerThird = await request()
  await nextStored
  expect(reached).toEqual(['acknowledged', 'next stored'])

  const stopped = load.stop()
  answerThird()
  await stopped
  server.close()
  await once(server, 'close')
})

test('a turn that creates an entity records an event of it next, one that upserts does no more', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const target = new Target()
  target.up(`http://127.0.0.1:${String(port)}`)
  const bodies: unknown[] = []
  const targets: string[] = []
  const enough = new Promise<void>((resolve) => {
    server.on('request', (request: IncomingMessage, reply: ServerResponse) => {
      void json(request).then((body) => {
        bodies.push(body)
        targets.push(`${String(request.method)} ${String(request.url)}`)
        const { external_id, properties } = body as Record<string, unknown>
        const data = { external_id, properties, created_at: 'now' }
        const text = JSON.stringify({ data })
        const headers = { position: '1', 'content-length': Buffer.byteLength(text) }
        reply.writeHead(201, headers).end(text)
        if (bodies.length === 4) resolve()
      })
    })
  })
  const load = new Load({
    ledger: new Ledger(),
    target,
    keyed: 0,
    unkeyed: 1,
    restMs: 0,
    entityOf: () => 'ada',
    newEntity: (turn) => (turn === 1 ? 'bob' : undefined),
    upsertOf: (turn) => (turn === 2 ? 'eve/1' : undefined),
  })
  await enough
  await load.stop()
  server.close()
  await once(server, 'close')
  expect(bodies.slice(0, 4)).toMatchObject([
    { external_id: 'bob' },
    { entity_external_id: 'bob' },
    { upsert: true },
    { entity_external_id: 'ada' },
  ])
  expect(targets[2]).toBe('PATCH /entities/eve%2F1')
})
