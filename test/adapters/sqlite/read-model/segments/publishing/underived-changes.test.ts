import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { openDatabase, type Database } from '../../../../../../src/adapters/sqlite/file/driver.js'
import { segmentTables } from '../../../../../../src/adapters/sqlite/read-model/segments/segment-tables.js'
import type { PublishedChange } from '../../../../../../src/adapters/sqlite/read-model/segments/publishing/published-change.js'
import { UnderivedChanges } from '../../../../../../src/adapters/sqlite/read-model/segments/publishing/underived-changes.js'

let db: Database
let changes: UnderivedChanges

beforeEach(() => {
  db = openDatabase(':memory:')
  db.exec(segmentTables)
  changes = new UnderivedChanges(db)
})
afterEach(() => {
  db.close()
})

const entered = (entityId: string, at = 5): PublishedChange => ({
  enters: true,
  entityId,
  at,
  cause: { kind: 'event', factId: 'fact-1' },
})

function reopen(): void {
  changes.write()
  changes = new UnderivedChanges(db)
}

it('a derived change is removed when the same change was published for the same segment', () => {
  changes.add('s1', entered('ada'), 1)
  const others: readonly PublishedChange[] = [
    entered('bob'),
    entered('ada', 6),
    { ...entered('ada'), enters: false },
    { ...entered('ada'), cause: { kind: 'event', factId: 'fact-2' } },
    { ...entered('ada'), cause: { kind: 'hand', factId: 'fact-1' } },
  ]
  for (const other of others) expect(changes.remove('s1', other)).toBe(false)
  expect(changes.remove('s2', entered('ada'))).toBe(false)
  reopen()
  expect(changes.hasAny('s1')).toBe(true)
  expect(changes.remove('s1', entered('ada'))).toBe(true)
  expect(changes.hasAny('s1')).toBe(false)
})

it('a change that was published twice is left once after it is derived', () => {
  changes.add('s1', entered('ada'), 1)
  changes.add('s1', entered('ada'), 2)
  reopen()
  expect(changes.remove('s1', entered('ada'))).toBe(true)
  reopen()
  expect(changes.hasAny('s1')).toBe(true)
})

it('finds a change that is published while other changes of the entity are looked up', () => {
  changes.add('s1', entered('ada', 1), 1)
  expect(changes.remove('s1', entered('ada', 2))).toBe(false)
  changes.add('s1', entered('ada', 2), 2)
  expect(changes.remove('s1', entered('ada', 2))).toBe(true)
  expect(changes.remove('s1', entered('ada', 1))).toBe(true)
  expect(changes.hasAny('s1')).toBe(false)
})

it('changes of erased entities do not count as left', () => {
  changes.add('s1', entered('ada'), 1)
  changes.add('s2', entered('bob'), 2)
  db.exec("INSERT INTO erased_entities VALUES ('ada', NULL, NULL, 0, 1, NULL)")
  expect([changes.hasAny('s1'), changes.hasAny('s2')]).toEqual([false, true])
  changes.clear('s2')
  expect(changes.hasAny('s2')).toBe(false)
})
