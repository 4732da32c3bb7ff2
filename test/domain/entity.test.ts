import { describe, expect, test } from '@jest/globals'
import {
  changeProperties,
  createEntity,
  entityStream,
  isSameChange,
  isSameCreation,
  type EntityCreated,
  type EntityPropertiesChanged,
} from '../../src/domain/entity.js'
import { deciding } from '../support/decision-sentence.js'

const now = new Date('2026-11-20T09:30:00.007Z')
const created: EntityCreated = {
  id: 'fact-1',
  type: 'EntityCreated',
  data: { externalId: 'ada', properties: { plan: 'free' }, createdAt: '2026-11-20T09:30:00.007Z' },
}
const changed: EntityPropertiesChanged = {
  id: 'fact-2',
  type: 'EntityPropertiesChanged',
  data: {
    externalId: 'ada',
    set: { plan: 'paid', seats: [1, { a: 1, b: null }] },
    unset: ['trial', 'coupon'],
    changedAt: '2026-11-20T09:30:00.007Z',
  },
}

describe('creating an entity', () => {
  const when = deciding(createEntity)
  const command = { factId: 'fact-1', externalId: 'ada', properties: { plan: 'free' }, now }

  test('expects a new stream and decides EntityCreated', () => {
    when(command).then('new', [created])
  })

  test('appends to the stream of the external_id', () => {
    expect(createEntity(command).stream).toBe('entity-ada')
  })
})

describe('changing properties', () => {
  const when = deciding(changeProperties)
  const { set, unset } = changed.data
  const command = { factId: 'fact-2', externalId: 'ada', set, unset, now }

  test('expects an existing stream and decides the set and unset properties', () => {
    when(command).then('existing', [changed])
  })

  test('appends to the stream of the entity', () => {
    expect(changeProperties(command).stream).toBe('entity-ada')
  })

  test('keeps the names to unset as they are', () => {
    const [fact] = changeProperties({ ...command, unset: ['b', 'a', 'b'] }).facts
    expect(fact.data.unset).toEqual(['b', 'a', 'b'])
  })
})

test("the name of an entity's stream contains the exact external_id", () => {
  expect(entityStream('a/b %20 Ω-entity-')).toBe('entity-a/b %20 Ω-entity-')
})

describe('two creations', () => {
  const { data } = created
  test('are equal even if their ids and times differ', () => {
    const later = { ...data, createdAt: '2026-11-21T00:00:00.000Z' }
    expect(isSameCreation(created, { ...created, id: 'other', data: later })).toBe(true)
  })

  test.each([
    ['external_id', { ...data, externalId: 'Ada' }],
    ['properties', { ...data, properties: { plan: 'paid' } }],
  ])('differ by %s', (_what, other) => {
    expect(isSameCreation(created, { ...created, data: other })).toBe(false)
  })
})

describe('two changes', () => {
  const { data } = changed
  test.each<[string, Partial<typeof data>]>([
    ['times', { changedAt: '2026-11-21T00:00:00.000Z' }],
    ['orders of members', { set: { seats: [1, { b: null, a: 1 }], plan: 'paid' } }],
    ['orders of names', { unset: ['coupon', 'trial'] }],
    ['counts of a name', { unset: ['trial', 'coupon', 'trial'] }],
  ])('are equal even if their ids and their %s differ', (_what, part) => {
    const other = { ...changed, id: 'other', data: { ...data, ...part } }
    expect(isSameChange(changed, other.data)).toBe(true)
    expect(isSameChange(other, changed.data)).toBe(true)
  })

  test.each<[string, Partial<typeof data>]>([
    ['external_id', { externalId: 'Ada' }],
    ['a value', { set: { ...data.set, plan: 'free' } }],
    ['a value that is null', { set: { ...data.set, plan: null } }],
    ['the order in an array', { set: { ...data.set, seats: [{ a: 1, b: null }, 1] } }],
    ['one more in set', { set: { ...data.set, more: 1 } }],
    ['one less in set', { set: { plan: 'paid' } }],
    ['one more in unset', { unset: ['trial', 'coupon', 'more'] }],
    ['one less in unset', { unset: ['trial'] }],
    ['a name in unset', { unset: ['trial', 'Coupon'] }],
    ['an equal number of names, with one name twice', { unset: ['trial', 'trial'] }],
  ])('differ by %s', (_what, part) => {
    const other = { ...changed, data: { ...data, ...part } }
    expect(isSameChange(changed, other.data)).toBe(false)
    expect(isSameChange(other, changed.data)).toBe(false)
  })
})
