import { expect, it } from '@jest/globals'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../../../../src/domain/json.js'
import {
  DrivenProjections,
  drivenProjections,
} from '../../../../support/segments/driven-projections.js'
import { SmallLog } from '../../../../support/segments/small-log.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()
const opened = drivenProjections()

const at = '2026-11-20T09:30:00.000Z'

function withProperties(count: number, name = (index: number) => `p${String(index)}`): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), index]))
}

function filled(log: SmallLog, path?: string): DrivenProjections {
  const driven = opened(path)
  driven.addAll(log.log)
  return driven
}

it('ten thousand event names are counted, and a name beyond them is left out', async () => {
  const log = new SmallLog().created(at)
  for (let index = 0; index <= 10_000; index += 1) log.event(`n${String(index)}`, at)
  log.event('n7', at).event('n10000', at)
  const driven = filled(log)
  const { events, isComplete } = await driven.query('dictionary', {})
  expect([events.length, events[0]?.name, events[0]?.count, isComplete]).toEqual([
    1_000,
    'n7',
    2,
    false,
  ])
  const day = Date.parse(at) / 86_400_000
  const totals = await driven.query('totals', { since: Math.floor(day), until: Math.ceil(day) })
  expect(totals).toMatchObject({ events: 10_003, days: [{ others: 10_003 - 21 }] })
  driven.addAll(log.event('n7', at).log.slice(-1))
  expect(driven.dictionaryStatus).toEqual({ names: 10_000, isFull: true })
})

it('the answer has one thousand names, and says that there are more', async () => {
  const log = new SmallLog().created(at)
  for (let index = 0; index < 1_000; index += 1) log.event(`n${String(index)}`, at)
  const driven = filled(log)
  expect((await driven.query('dictionary', {})).isComplete).toBe(true)
  driven.addAll(log.event('one more', at).log.slice(-1))
  const { events, isComplete } = await driven.query('dictionary', {})
  expect([events.length, isComplete]).toEqual([1_000, false])
})

it('two hundred properties of an event name are counted, and another one is left out', async () => {
  const log = new SmallLog().created(at).event('buy', at, at, withProperties(200))
  const driven = filled(log)
  expect((await driven.query('dictionary', {})).isComplete).toBe(true)
  driven.addAll(log.event('buy', at, at, { last: true, p0: 1 }).log.slice(-1))
  const { events, isComplete } = await driven.query('dictionary', {})
  expect(events[0]?.properties).toHaveLength(200)
  expect(events[0]?.properties[0]).toEqual({ pointer: '/p0', types: { number: 2 }, count: 2 })
  expect(isComplete).toBe(false)
})

it('an event counts its first two hundred properties, also when it is subtracted', async () => {
  const log = new SmallLog()
    .created(at)
    .event('buy', at, at, withProperties(300))
    .created(at, {}, 'bob')
    .event('buy', at, at, { p0: 1, p250: 1 }, 'bob')
  const driven = filled(log)
  expect((await driven.query('dictionary', {})).events[0]?.properties).toHaveLength(200)
  driven.erase(driven.entityIdOf('ada') ?? '', at)
  await driven.settle()
  const { events } = await driven.query('dictionary', {})
  expect(events[0]).toMatchObject({ count: 1, properties: [{ pointer: '/p0', count: 1 }] })
})

it('after a property of profiles was left out, a removed one frees no place', async () => {
  const log = new SmallLog().created(at, withProperties(200))
  const driven = filled(log)
  expect((await driven.query('dictionary', {})).isComplete).toBe(true)
  driven.addAll(log.changed(at, { more: 1 }).log.slice(-1))
  expect((await driven.query('dictionary', {})).isComplete).toBe(false)
  driven.addAll(log.changed(at, { last: 1 }, ['p0', 'more']).log.slice(-1))
  const { properties, isComplete } = await driven.query('dictionary', {})
  expect(properties.map(({ pointer }) => pointer)).not.toContain('/last')
  expect([properties.length, isComplete]).toEqual([199, false])
})

it('a property below three steps is not counted', async () => {
  const nested = { a: { b: { c: { d: 1 } } }, list: [{ a: 1 }] }
  const driven = filled(new SmallLog().created(at, nested).event('buy', at, at, nested))
  const { events, properties } = await driven.query('dictionary', {})
  const types = Object.fromEntries(properties.map((one) => [one.pointer, one.types]))
  expect(types).toEqual({
    '/a': { object: 1 },
    '/a/b': { object: 1 },
    '/a/b/c': { object: 1 },
    '/list': { array: 1 },
  })
  expect(events[0]?.properties).toEqual(properties)
})

it('a property whose type changes is counted once, by its type now', async () => {
  const log = new SmallLog().created(at, { age: '7' }).changed(at, { age: 7 }).changed(at, { b: 1 })
  const { properties } = await filled(log).query('dictionary', {})
  expect(properties).toEqual([
    { pointer: '/age', types: { number: 1 }, count: 1 },
    { pointer: '/b', types: { number: 1 }, count: 1 },
  ])
})

it('the totals name the twenty most frequent events of all days', async () => {
  const log = new SmallLog().created(at)
  for (let index = 0; index < 22; index += 1) log.event(`n${String(index)}`, at)
  log.event('n21', at, '2026-11-18T09:30:00.000Z').event('n20', at, '2026-11-01T00:00:00.000Z')
  const since = Date.UTC(2026, 10, 18) / 86_400_000
  const totals = await filled(log).query('totals', { since, until: since + 3 })
  expect(totals.days.map(({ day, newPeople, others }) => [day, newPeople, others])).toEqual([
    ['2026-11-18', 0, 0],
    ['2026-11-19', 0, 0],
    ['2026-11-20', 1, 2],
  ])
  const [first, , last] = totals.days
  expect(first?.events).toEqual([['n21', 1]])
  expect(last?.events).toHaveLength(20)
  expect([totals.people, totals.events]).toEqual([1, 24])
})

it('the names of an erased entity are in no file', async () => {
  const path = folder()
  const log = new SmallLog().created(at, { 'key-secret@profile': 1 })
  for (let index = 0; index < 300; index += 1) {
    log.event(`event ${String(index)}`, at, at, withProperties(9), 'ada')
    log.event(`secret@${String(index)}`, at, at, { [`secret@${String(index)}-key`]: 1 })
  }
  log.created(at, { plan: 'free' }, 'bob')
  for (let index = 0; index < 300; index += 1) {
    log.event(`other ${String(index)}`, at, at, withProperties(9), 'bob')
  }
  const driven = new DrivenProjections(join(path, 'read-model.db'))
  try {
    driven.addAll(log.log)
    await driven.settle()
    driven.erase(driven.entityIdOf('ada') ?? '', at)
    await driven.settle()
    const { events, properties, isComplete } = await driven.query('dictionary', {})
    expect([events.length, properties.length, isComplete]).toEqual([300, 1, true])
  } finally {
    driven.close()
  }
  const bytes = Buffer.concat(readdirSync(path).map((name) => readFileSync(join(path, name))))
  expect(bytes.includes('other 299')).toBe(true)
  expect(bytes.includes('secret@')).toBe(false)
})
