import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { auditFiles } from '../../../../support/read-model/audit-files.js'
import { otherKind } from '../../../../../src/adapters/sqlite/read-model/fact-kinds.js'
import { openDatabase, type Database } from '../../../../../src/adapters/sqlite/file/driver.js'
import {
  DrivenProjections,
  placesOfAFact,
} from '../../../../support/segments/driven-projections.js'
import {
  changeCounts,
  changeEntries,
  type ChangeOfEntry,
} from '../../../../support/read-model/change-entries.js'
import { SmallLog } from '../../../../support/segments/small-log.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()
const kept = temporaryFolders(afterAll)
/** The file of a complete read model. Each test changes a copy of the file. */
let complete: string
let path: string

/** The log defines no segment. Two events of ada occurred at one instant, and one event was recorded late. */
const facts = new SmallLog()
  .created('2026-01-02T00:00:00.000Z', { plan: 'free', city: 'Paris' })
  .created('2026-01-02T01:00:00.000Z', {}, 'bob')
  .event('login', '2026-01-03T00:00:00.000Z')
  .changed('2026-01-04T00:00:00.000Z', { plan: 'paid' })
  .event('login', '2026-01-05T00:00:00.000Z')
  .event('purchase', '2026-01-06T00:00:00.000Z', '2026-01-05T00:00:00.000Z')
  .changed('2026-01-07T00:00:00.000Z', {}, ['city']).log

beforeAll(async () => {
  complete = join(kept(), 'read-model.db')
  await make(complete, facts)
})

beforeEach(() => {
  path = join(folder(), 'read-model.db')
  copyFileSync(complete, path)
})

async function make(file: string, log: typeof facts): Promise<void> {
  const driven = new DrivenProjections(file)
  driven.addAll(log)
  await driven.settle()
  driven.close()
}

function audit(most = 100) {
  return auditFiles({ readModel: path, factsFile: undefined }, most)
}

/** SQL, or a function that changes the tables. */
type Damage = string | ((db: Database) => void)

async function accountAfter(damage: Damage) {
  const db = openDatabase(path)
  if (typeof damage === 'string') db.exec(damage)
  else damage(db)
  db.close()
  return audit()
}

/** Returns the position of the n-th fact of the log. */
const at = (n: number) => String(n * placesOfAFact)
const ada = at(1)
const bob = at(2)

/** Changes the stored counts of an entity. */
function counted(entity: string, change: Parameters<typeof changeCounts>[2]) {
  return (db: Database) => {
    changeCounts(db, Number(entity), change)
  }
}

/** Changes the stored entry of ada's n-th fact. */
function changed(n: number, change: ChangeOfEntry) {
  return changedAll([n], change)
}

function changedAll(ns: readonly number[], change: ChangeOfEntry) {
  const positions = ns.map((n) => n * placesOfAFact)
  return (db: Database) => {
    changeEntries(db, Number(ada), (entry) =>
      positions.includes(entry.position) ? change(entry) : [entry],
    )
  }
}

it('an audit replays every entity when no segment is defined', async () => {
  expect(await audit()).toEqual({
    position: 7 * placesOfAFact,
    logTime: Date.parse('2026-01-07T00:00:00Z'),
    entities: 2,
    folded: 2,
    facts: 7,
    segments: [],
    skipped: [],
    members: 0,
    differences: [],
    moreDifferences: 0,
  })
})

it('an audit replays at most the requested number of entities', async () => {
  expect(await audit(1)).toMatchObject({ entities: 2, folded: 1, differences: [] })
})

it('an audit replays no entity when the log creates none', async () => {
  path = join(folder(), 'read-model.db')
  await make(path, new SmallLog().passed('2026-01-01T00:00:00.000Z').log)
  expect(await audit()).toMatchObject({ entities: 0, folded: 0, facts: 0, differences: [] })
})

it.each<[string, Damage, readonly (string | RegExp)[]]>([
  [
    'properties that were changed by hand',
    `UPDATE entities SET properties = '{"plan":"free"}' WHERE entity = ${ada}`,
    ['entity ada: properties: not as rebuilt'],
  ],
  [
    'another number of events',
    counted(ada, (counts) => ({ ...counts, eventCount: 4 })),
    ['entity ada: event_count is 4, rebuilt 3'],
  ],
  [
    'another instant of the last event',
    counted(ada, (counts) => ({ ...counts, lastEventAt: counts.lastEventAt + 1 })),
    ['entity ada: last_event_at is 2026-01-05T00:00:00.001Z, rebuilt 2026-01-05T00:00:00.000Z'],
  ],
  [
    'another instant of creation',
    `UPDATE entities SET created_at = created_at + 1 WHERE entity = ${bob}`,
    ['entity bob: created_at is 2026-01-02T01:00:00.001Z, rebuilt 2026-01-02T01:00:00.000Z'],
  ],
  [
    'another instant of the last change',
    `UPDATE entities SET updated_at = updated_at + 1 WHERE entity = ${ada}`,
    ['entity ada: updated_at is 2026-01-07T00:00:00.001Z, rebuilt 2026-01-07T00:00:00.000Z'],
  ],
  [
    'a profile that is wrongly marked as full',
    `UPDATE entities SET is_full = 1 WHERE entity = ${ada}`,
    ['entity ada: its mark of a full profile is 1, rebuilt 0'],
  ],
  [
    'a missing entity',
    `DELETE FROM entities WHERE entity = ${ada}`,
    ['entity ada: it is missing, although a fact creates it'],
  ],
  [
    'an entity that no fact creates',
    `INSERT INTO entities SELECT 7, 'eve', 'no id', created_at, recorded_at, NULL, is_full, properties, updated_at,
       NULL, NULL
     FROM entities WHERE entity = ${bob}`,
    ['entity eve: no fact creates it'],
  ],
  [
    'an entity without its counts',
    `DELETE FROM entity_logs WHERE entity = ${bob}`,
    ['entity bob: it cannot be read (expected bytes)'],
  ],
  [
    'properties that are not JSON',
    `UPDATE entities SET properties = '{' WHERE entity = ${bob}`,
    [/^entity bob: it cannot be read \(.*JSON.*\)$/],
  ],
  [
    'an event that is missing in the list by time of occurrence',
    changed(5, (entry) => [{ ...entry, isStraggler: true }]),
    [`entity ada: its log (item 4 of 6): not as rebuilt`],
  ],
  [
    'the newest event, if it is missing',
    changed(6, () => []),
    [`entity ada: its log (item 5 of 6): not as rebuilt`],
  ],
  [
    'the oldest event, if it is missing',
    changed(3, () => []),
    [`entity ada: its log (item 2 of 6): not as rebuilt`],
  ],
  [
    'an event that is also listed for another entity',
    (db) => {
      counted(bob, (counts) => ({ ...counts, inOrder: -1 }))(db)
      db.exec(`INSERT INTO stragglers VALUES (${bob}, 5, ${at(3)}, 3)`)
    },
    [
      'entity bob: its number of events in order is -1, rebuilt 0',
      `entity bob: late event (entity, occurred_at, position ${bob}, 5, ${at(3)}): not as rebuilt`,
    ],
  ],
  [
    'an event that is listed and not stored',
    (db) => {
      counted(ada, (counts) => ({ ...counts, inOrder: 2 }))(db)
      db.exec(`INSERT INTO stragglers VALUES (${ada}, 5, 5, 3)`)
    },
    [
      'entity ada: its number of events in order is 2, rebuilt 3',
      `entity ada: late event (entity, occurred_at, position ${ada}, 5, 5): not as rebuilt`,
    ],
  ],
  [
    'a change that is listed as late and is not',
    (db) => {
      counted(ada, (counts) => ({ ...counts, changesInOrder: 2 }))(db)
      db.exec(`INSERT INTO late_changes VALUES (${ada}, 5, ${at(4)}, 1)`)
    },
    [
      'entity ada: its number of changes in order is 2, rebuilt 3',
      `entity ada: late change (entity, occurred_at, position ${ada}, 5, ${at(4)}): not as rebuilt`,
    ],
  ],
  [
    'events at another instant, in the same order',
    changedAll([5, 6], (entry) => [{ ...entry, at: Date.parse('2026-01-04T23:59:00Z') }]),
    [`entity ada: its log (item 4 of 6): not as rebuilt`],
  ],
  [
    'an event that is not found by its name',
    changed(6, (entry) => [{ ...entry, kind: entry.kind + 1 }]),
    [`entity ada: its log (item 5 of 6): not as rebuilt`],
  ],
  [
    'a change that is missing in the history',
    changed(4, (entry) => [{ ...entry, kind: otherKind }]),
    [`entity ada: its log (item 3 of 6): not as rebuilt`],
  ],
  [
    'a change of another entity in the history',
    (db) => {
      changeEntries(db, Number(bob), (entry) => [entry, { ...entry, position: Number(at(4)) }])
    },
    [`entity bob: its log (item 2 of 2): not as rebuilt`],
  ],
  [
    'an entity that is not found by one of its texts',
    'DELETE FROM property_texts',
    [/^entity ada: indexed property text \(key, entity [0-9]+, 10000\): missing$/],
  ],
  [
    'an idempotency key that no fact has',
    "INSERT INTO keys VALUES (10000, 'key', 10000, 10000)",
    ['the read model: idempotency key (stream_id, key 10000, key): not as rebuilt'],
  ],
  [
    'another log time',
    'UPDATE checkpoint SET log_time = log_time + 1',
    ['the read model: log time is 2026-01-07T00:00:00.001Z, rebuilt 2026-01-07T00:00:00.000Z'],
  ],
  [
    'a fact with a log time that is too late',
    changed(5, (entry) => [{ ...entry, logTime: entry.logTime + 86_400_000 }]),
    [`entity ada: its log (item 4 of 6): not as rebuilt`],
  ],
])('an audit finds %s', async (_, damage, differences) => {
  const { differences: found } = await accountAfter(damage)
  expect(found).toEqual(
    differences.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))),
  )
})

it('an audit finds an index that lacks a row', async () => {
  const bytes = readFileSync(path)
  // The text is in the table and, at a higher offset, in the index of external ids.
  const at = bytes.lastIndexOf('bob')
  bytes.write('bab', at)
  writeFileSync(path, bytes)
  const { differences } = await auditFiles({ readModel: path, factsFile: undefined }, 100)
  expect(differences).toContainEqual(expect.stringMatching(/^the file: .*missing from index/))
})

it('an audit compares more events, changes and facts than are in memory at a time', async () => {
  path = join(folder(), 'read-model.db')
  const log = new SmallLog().created('2026-01-01T00:00:00.000Z')
  for (let n = 10; n < 60; n += 1) {
    log.event('login', `2026-01-02T00:00:${String(n)}.000Z`)
    log.changed(`2026-01-02T00:00:${String(n)}.000Z`, { n })
  }
  await make(path, log.log)
  expect(await audit()).toMatchObject({ folded: 1, facts: 101, differences: [] })
  const { differences } = await accountAfter(changed(3, () => []))
  expect(differences).toEqual(['entity ada: its log (item 3 of 101): not as rebuilt'])
})
