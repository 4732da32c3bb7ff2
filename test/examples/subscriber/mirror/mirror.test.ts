import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { SegmentMirror } from '../../../../examples/subscriber/mirror/mirror.js'
import { placeAt } from '../../../../examples/subscriber/mirror/place.js'
import type { Change } from '../../../../examples/subscriber/mirror/segment-facts.js'
import { openDatabase } from '../../../../src/adapters/sqlite/file/driver.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'
import { plainDigest } from './published-segment.js'

const makeFolder = temporaryFolders()
const ada = '01a1ff14-cee6-75ec-8b91-d7fb3bbfa719'
const bob = '01a1ff14-cee6-75ec-8b91-d7fb3bbfa720'
const eve = '01a1ff14-cee6-75ec-8b91-d7fb3bbfa721'
const at = '2026-11-20T09:30:00.000Z'
let path: string
let mirror: SegmentMirror

beforeEach(() => {
  path = join(makeFolder(), 'made', 'mirror.db')
  mirror = SegmentMirror.open(path)
})

afterEach(() => {
  mirror.close()
})

function published(type: Change['type'], entityId: string, version = 1): Change {
  const data = { segment: 'vip', version, entityId, at, cause: { kind: 'time' } } as const
  return { id: randomUUID(), type, data }
}

function begin(...entityIds: readonly string[]): void {
  mirror.begin('vip', { version: 1, entityIds, place: placeAt('100') })
}

function who() {
  return mirror.entered().map(({ entityId }) => entityId)
}

test('an empty one knows nothing; one that has begun knows it all again', () => {
  expect([mirror.segment, mirror.place, mirror.members.count]).toEqual([undefined, undefined, 0])
  expect(mirror.members.digest).toBe('0000000000000000')
  begin(ada, bob)
  const entered = published('EntityEnteredSegment', eve.toUpperCase())
  mirror.apply(entered, placeAt('104', 'ABCDEF01-0000'))
  mirror.close()
  mirror = SegmentMirror.open(path)
  expect([mirror.segment, mirror.since]).toEqual(['vip', '100'])
  expect(mirror.place).toEqual({ commit: 104n, prepare: 104n, idBegins: 'abcdef01' })
  expect(mirror.members.ids()).toEqual([ada, bob, eve])
  expect(mirror.entered()).toEqual([{ factId: entered.id, entityId: eve, at }])
})

test('the digest is that of the members, whatever they came by', () => {
  begin(ada, bob)
  expect(mirror.members.digest).toBe(plainDigest([ada, bob]))
  mirror.apply(published('EntityEnteredSegment', eve), placeAt('101'))
  mirror.apply(published('EntityEnteredSegment', eve), placeAt('102'))
  mirror.apply(published('EntityLeftSegment', ada), placeAt('103'))
  mirror.apply(published('EntityLeftSegment', ada), placeAt('104'))
  expect(mirror.members.digest).toBe(plainDigest([eve, bob]))
  mirror.close()
  mirror = SegmentMirror.open(path)
  expect(mirror.members.digest).toBe(plainDigest([eve, bob]))
  expect(mirror.members.count).toBe(2)
  mirror.apply(published('EntityLeftSegment', bob), placeAt('105'))
  mirror.apply(published('EntityLeftSegment', eve), placeAt('106'))
  expect(mirror.members.digest).toBe('0000000000000000')
  // As the document of segments says it, worked out by hand.
  mirror.apply(published('EntityEnteredSegment', 'a'), placeAt('107'))
  expect(mirror.members.digest).toBe('ca978112ca1bbdca')
})

test('a checkpoint that cannot be kept takes everything else with it', () => {
  begin(ada)
  const other = openDatabase(path)
  other.exec(
    `CREATE TRIGGER full BEFORE UPDATE ON checkpoint BEGIN SELECT raise(ABORT, 'full'); END`,
  )
  const entered = published('EntityEnteredSegment', bob)
  const changes = [
    () => {
      mirror.apply(entered, placeAt('101'))
    },
    () => {
      mirror.replace({ version: 2, entityIds: [eve] }, placeAt('102'))
    },
    () => {
      mirror.retire(1, placeAt('103'))
    },
  ]
  for (const change of changes) {
    expect(change).toThrow('full')
    expect(mirror.members.ids()).toEqual([ada])
    expect([mirror.members.count, mirror.members.digest]).toEqual([1, plainDigest([ada])])
    expect([who(), mirror.place]).toEqual([[], placeAt('100')])
    expect(mirror.isOfRetired(1)).toBe(false)
  }
  other.exec('DROP TRIGGER full')
  other.close()
  mirror.apply(entered, placeAt('101'))
  expect(mirror.members.ids()).toEqual([ada, bob])
  expect(who()).toEqual([bob])
})

test('a first list that is not kept whole is not kept at all', () => {
  const other = openDatabase(path)
  other.exec(
    `CREATE TRIGGER full BEFORE INSERT ON checkpoint BEGIN SELECT raise(ABORT, 'full'); END`,
  )
  expect(() => {
    begin(ada)
  }).toThrow('full')
  expect([mirror.segment, mirror.place, mirror.members.count]).toEqual([undefined, undefined, 0])
  other.exec('DROP TRIGGER full')
  other.close()
  begin(ada)
  expect(mirror.members.ids()).toEqual([ada])
})

test('a list that was taken late knows what is published of the versions before its own', () => {
  begin(ada)
  mirror.replace({ version: 3, entityIds: [eve] }, placeAt('101'))
  mirror.apply(published('EntityEnteredSegment', bob, 2), placeAt('102'))
  mirror.apply(published('EntityLeftSegment', eve, 2), placeAt('103'))
  mirror.retire(2, placeAt('104'))
  mirror.apply(published('EntityEnteredSegment', ada, 2), placeAt('105'))
  expect([mirror.members.ids(), who()]).toEqual([[eve], [bob]])
  mirror.apply(published('EntityEnteredSegment', ada, 3), placeAt('106'))
  expect([mirror.members.ids(), who()]).toEqual([
    [ada, eve],
    [bob, ada],
  ])
})
