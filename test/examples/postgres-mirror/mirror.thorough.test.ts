import { isDeepStrictEqual } from 'node:util'
import { afterEach, expect } from '@jest/globals'
import { Scope } from '../../../bench/scope.js'
import { psql } from '../../support/psql.js'
import { startPostgres } from '../../../bench/servers/postgres.js'
import { Random } from '../../../fault-injection/random.js'
import { Dossier, DossierError, type BatchItem, type Fact } from '../../../src/client/dossier.js'
import { KilledService } from '../../support/client/killed-service.js'
import { UnreliableProxy } from '../../support/client/unreliable-proxy.js'
import { nextLook } from '../../support/next-look.js'
import { temporaryFolders } from '../../support/temporary-folder.js'
import { startProgram, type Program } from '../online-retail/program.js'
import { itWithPostgres, program } from './with-postgres.js'

const folder = temporaryFolders()
let scope: Scope | undefined
afterEach(() => scope?.close())

/** The program, which may be killed and started again. */
class Mirror {
  private readonly env: Readonly<Record<string, string>>
  private running: Program

  constructor(key: string, url: string, database: string) {
    this.env = { DOSSIER_URL: url, DOSSIER_KEY: key, DATABASE_URL: database }
    this.running = startProgram(program, [], this.env)
  }

  async killed(): Promise<void> {
    this.running.child.kill('SIGKILL')
    const { signal, err } = await this.running.ended
    expect({ signal, err }).toEqual({ signal: 'SIGKILL', err: '' })
    this.running = startProgram(program, [], this.env)
  }

  async end(): Promise<void> {
    this.running.child.kill('SIGKILL')
    await this.running.ended
  }
}

class Customers {
  constructor(private readonly random: Random) {}

  private get id(): string {
    return `customer-${String(Math.floor(this.random.next() * 60))}`
  }

  *items(count: number): Generator<BatchItem> {
    for (let n = 0; n < count; n += 1) yield this.item(n)
  }

  private item(n: number): BatchItem {
    const { id } = this
    const chance = this.random.next()
    if (chance < 0.4) {
      const properties = { total: n, note: 'a\0b\\u0000', nested: { n: [0.1, null, 'é'] } }
      return { op: 'record_event', entity_external_id: id, name: 'buy', upsert: true, properties }
    }
    if (chance < 0.8) {
      const set = { plan: chance < 0.6 ? 'paid' : 'free', n }
      const gone = chance < 0.5 ? { set, unset: ['gone'] } : { set: { ...set, gone: 1 } }
      // Half of the changes are late by up to ten seconds, so that some lose against newer changes.
      const late = new Date(Date.now() - 10_000 * this.random.next()).toISOString()
      const own = this.random.next() < 0.5 ? { occurred_at: late } : {}
      return { op: 'update_entity', external_id: id, ...gone, ...own, upsert: true }
    }
    const op = chance < 0.92 ? 'add_to_segment' : 'remove_from_segment'
    return { op, external_id: id, segment: 'by-hand' }
  }
}

const time = (column: string) =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** What the tables hold, as the service would say it. */
async function tablesOf(url: string) {
  const rows = async (columns: string, table: string, order: string) => {
    const query = `SELECT coalesce(json_agg(one ORDER BY one->>'${order}'), '[]') FROM
      (SELECT json_build_object(${columns}) AS one FROM ${table}) AS all_of_them`
    const [line = '[]'] = await psql(url, [query.replaceAll('\n', ' ')])
    return JSON.parse(line) as readonly unknown[]
  }
  return {
    entities: await rows(
      `'external_id', external_id, 'entity_id', entity_id, 'properties', properties,
       'created_at', ${time('created_at')}, 'updated_at', ${time('updated_at')}`,
      'entities',
      'external_id',
    ),
    events: await rows(
      `'id', event_id, 'of', external_id, 'name', name, 'properties', properties,
       'at', ${time('occurred_at')}`,
      'events',
      'id',
    ),
    changes: await rows(
      `'id', fact_id, 'segment', segment, 'entity', entity_id, 'change', change, 'at', ${time('at')}`,
      'membership_changes',
      'id',
    ),
    digests: await rows(
      `'segment', segment, 'members', members, 'digest', digest`,
      'segment_digests',
      'segment',
    ),
    members: await rows(
      `'id', segment || ' ' || entity_id, 'since', ${time('since')}`,
      'memberships',
      'id',
    ),
  }
}

const by = (name: string) => (left: object, right: object) => {
  const [one, other] = [left, right].map((row) =>
    String(Object.entries(row).find(([key]) => key === name)?.[1]),
  )
  return (one ?? '') < (other ?? '') ? -1 : 1
}

/** The same, as the service says it; PostgreSQL's text has no character 0. */
async function truthOf(dossier: Dossier): Promise<Awaited<ReturnType<typeof tablesOf>>> {
  const entities: object[] = []
  for await (const { recorded_at: _, ...entity } of dossier.entities.list({ limit: 1_000 })) {
    entities.push(entity)
  }
  const facts = await factsOf(dossier)
  const voided = new Set(
    facts.flatMap(({ type, data }) => (type === 'EventVoided' ? [data.event_id] : [])),
  )
  const events = facts.flatMap(({ type, id, data }) => {
    if (type !== 'EventRecorded' || voided.has(id)) return []
    const { entity_external_id: of, name, properties, recorded_at, occurred_at } = data
    return [{ id, of, name, properties, at: occurred_at ?? recorded_at }]
  })
  const changes = facts.flatMap(({ type, id, data }) => {
    if (type !== 'EntityEnteredSegment' && type !== 'EntityLeftSegment') return []
    const { segment, entity_id: entity, at } = data
    return [{ id, segment, entity, change: type === 'EntityLeftSegment' ? 'left' : 'entered', at }]
  })
  const digests: object[] = []
  const members: object[] = []
  for (const { key, members: count, digest } of await dossier.segments.list().all()) {
    if (count !== 0) digests.push({ segment: key, members: count, digest })
    for await (const { entity_id: id, since } of dossier.segments.members(key)) {
      members.push({ id: `${key} ${id}`, since })
    }
  }
  return JSON.parse(
    JSON.stringify({
      entities: entities.toSorted(by('external_id')),
      events: events.toSorted(by('id')),
      changes: changes.toSorted(by('id')),
      digests: digests.toSorted(by('segment')),
      members: members.toSorted(by('id')),
    }),
    (_, value: unknown) => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value),
  ) as Awaited<ReturnType<typeof tablesOf>>
}

async function factsOf(dossier: Dossier): Promise<readonly Fact[]> {
  const facts: Fact[] = []
  for (let cursor = 'start'; ;) {
    const page = await dossier.facts().page({ cursor, limit: 1_000 })
    facts.push(...page.items)
    if (page.at_head) return facts
    cursor = page.next_cursor
  }
}

/** A retirement has no key: after an unclear reply it is looked for. */
async function retire(dossier: Dossier, key: string): Promise<void> {
  for (;;) {
    try {
      await dossier.segments.retire(key)
    } catch (error) {
      if (!(error instanceof DossierError)) throw error
      if (error.code === 'segment_not_found') return
    }
  }
}

itWithPostgres(
  'a mirror in PostgreSQL that is killed again and again, as the service is, ends as the service is',
  async () => {
    const size = { rounds: 5, items: 1_200, kills: 6, everyRequests: 40, mirrorKills: 10 }
    scope = new Scope()
    const postgres = await startPostgres(scope)
    const proxy = await UnreliableProxy.start({ random: new Random(20_261_125) })
    await scope.own(() => proxy.close())
    const service = await KilledService.start(folder(), proxy, size)
    await scope.own(() => service.end())
    const { url } = proxy
    const dossier = new Dossier({ url, key: service.key, timeoutMs: 60_000 })
    const start = async (database: string) => {
      const mirror = new Mirror(service.key, url, database)
      await scope?.own(() => mirror.end())
      return mirror
    }
    const mirror = await start(postgres.url)
    const { segments, entities } = dossier
    const customers = new Customers(new Random(20_261_126))
    await segments.define('by-hand', { title: 'By hand', kind: 'hand' })
    for (let round = 0; round < size.rounds; round += 1) {
      const rule = { event: 'buy', count: { gte: 1 + (round % 4) } } as const
      await segments.define('buyers', { title: 'Buyers', kind: 'rule', rule })
      const paid = { property: '/plan', is: { eq: 'paid' } } as const
      await segments.define('paid', {
        title: 'Paid, and buyers',
        kind: 'rule',
        rule: { all: [paid, { segment: 'buyers' }] },
      })
      let written = 0
      for await (const { error } of dossier.batch(customers.items(size.items), { maxItems: 100 })) {
        expect([undefined, 'entity_not_found']).toContain(error?.code)
        written += 1
        if (written % 300 === 0) await mirror.killed()
      }
      const bought = (await factsOf(dossier)).filter(({ type }) => type === 'EventRecorded')
      for (const { id, data } of bought.slice(-20)) {
        if ('entity_external_id' in data) await entities.voidEvent(data.entity_external_id, id)
      }
      if (round % 3 === 1) await retire(dossier, 'paid')
    }
    const truth = await expectEqual(postgres.url, dossier)
    expect(truth.digests.length).toBeGreaterThan(1)
    expect(truth.changes.length).toBeGreaterThan(20)

    // From the first fact on it has no break: whenever it is killed, a transaction is under way.
    const again = postgres.url.replace('/postgres?', '/again?')
    await psql(postgres.url, ['CREATE DATABASE again'])
    const second = await start(again)
    for (let kills = 0; kills < size.mirrorKills; kills += 1) {
      const before = await cursorOf(again)
      while ((await cursorOf(again)) === before) await nextLook()
      await second.killed()
    }
    await expectEqual(again, dossier)
  },
)

/** Undefined as long as there is none. */
async function cursorOf(url: string): Promise<string | undefined> {
  const [isThere] = await psql(url, ["SELECT to_regclass('mirror') IS NOT NULL"])
  return isThere === 't' ? (await psql(url, ['SELECT cursor FROM mirror']))[0] : undefined
}

/** Resolves with what both say, once the last changes of members are published and followed. */
async function expectEqual(url: string, dossier: Dossier) {
  for (let looks = 0; ; looks += 1) {
    const [tables, truth] = [await tablesOf(url), await truthOf(dossier)]
    if (isDeepStrictEqual(tables, truth) || looks === 100) {
      expect(tables).toEqual(truth)
      return truth
    }
    await nextLook()
  }
}
