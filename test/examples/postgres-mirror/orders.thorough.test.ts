import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals'
import { factDataOf } from '../../../src/application/facts/fact-view.js'
import { JsonText } from '../../../src/domain/json.js'
import { Scope } from '../../../bench/scope.js'
import { psql } from '../../support/psql.js'
import { startPostgres, type Postgres } from '../../../bench/servers/postgres.js'
import { ScriptedService, success, type Received } from '../../client/scripted-service.js'
import { nextLook } from '../../support/next-look.js'
import { startProgram } from '../online-retail/program.js'
import { hasPostgres, itWithPostgres, program } from './with-postgres.js'

const at = '2026-11-20T09:30:00.000Z'
const idOf = (kind: string, n: number) =>
  `${kind.repeat(8)}-0000-4000-8000-${String(n).padStart(12, '0')}`

interface Sent {
  readonly id: string
  readonly type: string
  readonly data: object
}

/** Facts about an entity that is called ada. */
class Life {
  readonly entityId: string
  private facts = 0

  constructor(private readonly digit: string) {
    this.entityId = idOf(digit, 0)
  }

  created(): Sent {
    const data = { externalId: 'ada', properties: { life: this.digit }, createdAt: at }
    return { id: this.entityId, type: 'EntityCreated', data }
  }

  event(): Sent {
    const data = { entityExternalId: 'ada', name: 'login', properties: {}, recordedAt: at }
    return this.fact('EventRecorded', data)
  }

  changed(): Sent {
    const data = { externalId: 'ada', set: { plan: this.digit }, unset: [], changedAt: at }
    return this.fact('EntityPropertiesChanged', data)
  }

  entered(): Sent {
    return this.fact('EntityEnteredSegment', this.change('event'))
  }

  left(): Sent {
    return this.fact('EntityLeftSegment', this.change('erased'))
  }

  erased(): Sent {
    const { entityId } = this
    return this.fact('EntityErased', { erasureId: idOf('e', 0), entityId, at })
  }

  removed(): Sent {
    const { entityId } = this
    const counts = { facts: {}, keys: 0, memberships: 0 }
    const closedAt = { at, position: '1' }
    const data = { erasureId: idOf('e', 0), entityId, closedAt, ...counts, at }
    return this.fact('ErasedFactsRemoved', data)
  }

  private change(kind: string): object {
    return { segment: 'paid', version: 1, entityId: this.entityId, at, cause: { kind } }
  }

  private fact(type: string, data: object): Sent {
    this.facts += 1
    return { id: idOf(this.digit, this.facts), type, data }
  }
}

/** Serves these facts as the feed. */
async function feedOf(facts: readonly Sent[]): Promise<ScriptedService> {
  return ScriptedService.start(async (response, request) => {
    if (request.path === '/facts')
      sendFrom(response, facts, Number(request.query['after'] ?? 0) || 0)
    else if (request.path === '/segments/paid/members')
      await success({ segment: 'paid', version: 1, items: [], next_cursor: null })(
        response,
        request,
      )
    else await success({})(response, request)
  })
}

function sendFrom(response: ServerResponse, facts: readonly Sent[], after: number): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  for (const [index, fact] of facts.entries()) {
    const position = String(index + 1)
    const shown: unknown = JSON.parse(factDataOf(fact.type, JsonText.of(fact.data)).text)
    const data = { ...fact, data: shown, position, stream: 'a-stream', request_id: 'r' }
    if (index < after) continue
    response.write(`id: ${position}\nevent: ${fact.type}\ndata: ${JSON.stringify(data)}\n\n`)
  }
  response.write(`id: ${String(facts.length)}\nevent: live\ndata: {}\n\n`)
}

const cluster = new Scope()
let scope = new Scope()
let postgres: Postgres | undefined
beforeAll(async () => {
  if (hasPostgres) postgres = await startPostgres(cluster)
}, 60_000)
afterEach(() => scope.close())
afterAll(() => cluster.close())

/** The ids in each table once the program has followed all of these facts, and what it confirmed. */
async function mirrored(facts: readonly Sent[], database: string) {
  const { url: first = '' } = postgres ?? {}
  scope = new Scope()
  await psql(first, [`CREATE DATABASE ${database}`])
  const url = first.replace('/postgres?', `/${database}?`)
  const feed = await feedOf(facts)
  const env = { DOSSIER_URL: feed.url, DOSSIER_KEY: 'a-key', DATABASE_URL: url }
  const running = startProgram(program, [], env)
  await scope.own(async () => {
    running.child.kill('SIGKILL')
    await running.ended
  })
  let end: string | undefined
  void running.ended.then(({ err }) => (end = err))
  const rows = (query: string) => psql(url, [query])
  await running.lineWith('goes on after')
  while ((await rows('SELECT cursor FROM mirror'))[0] !== String(facts.length)) {
    if (end !== undefined) throw new Error(`the mirror ended: ${end}`)
    await nextLook()
  }
  const isConfirmation = ({ path }: Received) => path.endsWith('/confirmations')
  while (!feed.received.some(isConfirmation)) await nextLook()
  return {
    entities: await rows("SELECT entity_id || ' ' || (properties::text) FROM entities"),
    events: await rows('SELECT event_id FROM events ORDER BY event_id'),
    members: await rows('SELECT entity_id FROM memberships'),
    changes: await rows('SELECT DISTINCT entity_id FROM membership_changes'),
    segments: await rows('SELECT segment FROM segments'),
  }
}

const built: Sent = {
  id: idOf('b', 0),
  type: 'SegmentBuilt',
  data: {
    ...{ segment: 'paid', version: 1, resolved: {}, through: idOf('b', 1) },
    ...{ members: 0, digest: '0000000000000000', builtAt: at },
  },
}

/** Each order of docs/facts.md: facts of the entity that is erased, and of the one that has its name afterwards. */
const orders: Readonly<Record<string, (old: Life, young: Life) => readonly Sent[]>> = {
  'all facts, the erasure, the removal, the next entity': (old, young) => [
    ...[old.created(), old.event(), old.changed(), old.entered()],
    ...[old.erased(), old.left(), old.removed()],
    ...[young.created(), young.event(), young.changed(), young.entered()],
  ],
  'the next entity before the removal': (old, young) => [
    ...[old.created(), old.event(), old.entered(), old.erased()],
    ...[young.created(), young.event(), old.left(), young.changed(), young.entered()],
    old.removed(),
  ],
  'changes of membership that are published after the erasure': (old, young) => [
    ...[old.created(), old.event(), old.erased(), old.entered(), old.left(), old.removed()],
    ...[young.created(), young.event(), young.changed(), young.entered()],
  ],
  'no fact of the erased entity': (old, young) => [
    ...[old.erased(), old.left(), old.removed()],
    ...[young.created(), young.event(), young.changed(), young.entered()],
  ],
  'the erasure twice': (old, young) => [
    ...[old.created(), old.event(), old.entered(), old.erased(), old.erased(), old.left()],
    ...[young.created(), young.event(), young.changed(), young.entered(), old.removed()],
  ],
  'no erasure, and the removal before the next entity': (old, young) => [
    ...[old.created(), old.event(), old.entered(), old.left(), old.removed()],
    ...[young.created(), young.event(), young.changed(), young.entered()],
  ],
  'no erasure, and the next entity before the removal': (old, young) => [
    ...[old.created(), old.event(), old.changed(), old.entered()],
    ...[young.created(), young.event(), young.changed(), old.left(), young.entered()],
    old.removed(),
  ],
}

describe('a mirror takes each order of the feed, and has the next entity of the name alone:', () => {
  for (const [index, [name, order]] of Object.entries(orders).entries()) {
    itWithPostgres(name, async () => {
      const [old, young] = [new Life('a'), new Life('c')]
      const facts = [built, ...order(old, young)]
      expect(await mirrored(facts, `order_${String(index)}`)).toEqual({
        entities: [`${young.entityId} {"life": "c", "plan": "c"}`],
        events: [idOf('c', 1)],
        members: [young.entityId],
        changes: [young.entityId],
        segments: ['paid'],
      })
    })
  }
})
