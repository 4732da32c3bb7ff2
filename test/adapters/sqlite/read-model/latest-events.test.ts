import { expect, it } from '@jest/globals'
import { drivenProjections } from '../../../support/segments/driven-projections.js'
import { SmallLog } from '../../../support/segments/small-log.js'
import { atOnce } from '../../../../src/domain/in-pieces.js'
import { openDatabase } from '../../../../src/adapters/sqlite/file/driver.js'
import { EntityLogs } from '../../../../src/adapters/sqlite/read-model/entity-log/entity-logs.js'
import { logTables } from '../../../../src/adapters/sqlite/read-model/entity-log/log-blocks.js'
import { creationKind, eventKind } from '../../../../src/adapters/sqlite/read-model/fact-kinds.js'

const opened = drivenProjections()
const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString()

it('entities are listed by their latest events, also after events, late events and erasures', async () => {
  const log = new SmallLog()
    .created(at(0))
    .created(at(0), { plan: 'paid', city: 'Kyoto' }, 'bob')
    .created(at(0), {}, 'none')
    .event('buy', at(1))
    .event('buy', at(2), at(2), {}, 'bob')
  const driven = opened()
  driven.addAll(log.log)
  const listed = async (limit = 9) => {
    const { items } = await driven.query('entitiesByLastEvent', { limit, properties: ['/city'] })
    return items.map(({ externalId, lastEventAt }) => [externalId, lastEventAt])
  }
  expect(await listed()).toEqual([
    ['bob', at(2)],
    ['ada', at(1)],
  ])
  driven.addAll(log.event('buy', at(3)).event('buy', at(4), at(1), {}, 'bob').log.slice(-2))
  expect(await listed()).toEqual([
    ['ada', at(3)],
    ['bob', at(2)],
  ])
  expect(await listed(1)).toEqual([['ada', at(3)]])
  driven.erase(driven.entityIdOf('ada') ?? '', at(9))
  expect(await listed()).toEqual([['bob', at(2)]])
  const { items, next } = await driven.query('entitiesByLastEvent', {
    limit: 9,
    properties: ['/city', '/x'],
  })
  expect(items[0]?.properties.value).toEqual({ '/city': 'Kyoto' })
  expect(next).toBeUndefined()
})

it('each listed entity has its last event if this was asked for', async () => {
  const driven = opened()
  driven.addAll(new SmallLog().created(at(0)).created(at(0), {}, 'bob').event('buy', at(1)).log)
  const { items } = await driven.query('entities', { limit: 9, withLastEvent: true })
  expect(items.map(({ lastEventAt }) => lastEventAt)).toEqual([at(1), undefined])
  const plain = await driven.query('entities', { limit: 9 })
  expect(plain.items.map(({ lastEventAt }) => lastEventAt)).toEqual([undefined, undefined])
})

it('entities are found whose many latest events have one instant', () => {
  const db = openDatabase(':memory:')
  db.exec(logTables)
  const { pending, latest } = new EntityLogs(db)
  const entry = { logTime: 5, lagMs: 0, at: 5 }
  for (let entity = 1; entity <= 20_000; entity += 1) {
    pending.add(entity, { ...entry, position: entity, kind: creationKind })
    pending.add(entity, { ...entry, position: entity, kind: eventKind('buy') })
  }
  pending.write()
  const found = atOnce(latest.newest(1_000, () => true))
  expect(new Set(found).size).toBe(1_000)
  db.close()
})

it('the latest of many entities are found again after all of them were erased', () => {
  const db = openDatabase(':memory:')
  db.exec(logTables)
  const { pending, latest } = new EntityLogs(db)
  const all = 20_000
  const add = (entity: number, instant: number) => {
    const entry = { logTime: instant, lagMs: 0, at: instant }
    pending.add(entity, { ...entry, position: entity, kind: creationKind })
    pending.add(entity, { ...entry, position: entity, kind: eventKind('buy') })
  }
  for (let entity = 1; entity <= all; entity += 1) add(entity, (entity * 7_919) % all)
  pending.write()
  const byInstant = Array.from({ length: all }, (_, index) => index + 1).sort(
    (left, right) => ((right * 7_919) % all) - ((left * 7_919) % all),
  )
  const newest = (count: number, erased: ReadonlySet<number>) =>
    atOnce(latest.newest(count, (entity) => !erased.has(entity)))
  // The second query begins while the first one reads the logs.
  const first = latest.newest(1_000, () => true)
  for (let piece = 0; piece < 10; piece += 1) first.next()
  const second = latest.newest(1_000, () => true)
  second.next()
  expect(atOnce(first)).toEqual(byInstant.slice(0, 1_000))
  expect(atOnce(second)).toEqual(byInstant.slice(0, 1_000))
  const erased = new Set(byInstant.slice(0, 17_000))
  const remove = db.prepare('DELETE FROM entity_logs WHERE entity = ?')
  for (const entity of erased) remove.run(entity)
  expect(newest(1_000, erased)).toEqual(byInstant.slice(17_000, 18_000))
  db.close()
})

it('a query continues to read where a cancelled query has stopped', () => {
  const db = openDatabase(':memory:')
  db.exec(logTables)
  const { pending, latest } = new EntityLogs(db)
  const add = (entity: number, instant: number) => {
    const entry = { logTime: instant, lagMs: 0, at: instant }
    pending.add(entity, { ...entry, position: entity, kind: creationKind })
    pending.add(entity, { ...entry, position: entity, kind: eventKind('buy') })
  }
  for (let entity = 1; entity <= 20_000; entity += 1) add(entity, 20_001 - entity)
  pending.write()
  const piecesOf = (query: Iterable<unknown>) => [...query].length
  const cancelled = latest.newest(3, () => true)
  for (let piece = 0; piece < 6; piece += 1) cancelled.next()
  add(30_000, 30_000)
  pending.write()
  expect(piecesOf(latest.newest(3, () => true))).toBeLessThan(6)
  expect(atOnce(latest.newest(3, () => true))).toEqual([30_000, 1, 2])
  db.close()
})

it('a new process finds the stored times of late events, voided events and events before 1970', () => {
  const db = openDatabase(':memory:')
  db.exec(logTables)
  const logs = new EntityLogs(db)
  let position = 0
  const add = (entity: number, ...instants: readonly number[]) => {
    const entry = { logTime: 50, lagMs: 0 }
    position += 1
    logs.pending.add(entity, { ...entry, position, kind: creationKind, at: 50 })
    for (const instant of instants) {
      position += 1
      logs.pending.add(entity, { ...entry, position, kind: eventKind('buy'), at: instant })
    }
  }
  add(1, 5)
  add(2, 7, 3)
  add(3, 9, 4)
  const voided = { position: position - 1, at: 9 }
  add(4, 8)
  const only = { position, at: 8 }
  add(5)
  add(6, -5)
  expect(logs.void(3, voided, { position: 90, at: 60 })).toBe(true)
  expect(logs.void(4, only, { position: 91, at: 60 })).toBe(true)
  logs.pending.write()
  const found = atOnce(new EntityLogs(db).latest.newest(9, () => true))
  expect(found).toEqual([2, 1, 3, 6])
  db.close()
})
