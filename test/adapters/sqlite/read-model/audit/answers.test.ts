import { join } from 'node:path'
import { beforeEach, expect, it } from '@jest/globals'
import { auditReadModel } from '../../../../../src/adapters/sqlite/read-model/audit/audit-read-model.js'
import { ComparedLists } from '../../../../../src/adapters/sqlite/read-model/audit/compare-lists.js'
import { EntityFolds } from '../../../../../src/adapters/sqlite/read-model/audit/folded-entity.js'
import { PickedEntities } from '../../../../../src/adapters/sqlite/read-model/audit/picked-entities.js'
import { otherKind } from '../../../../../src/adapters/sqlite/read-model/fact-kinds.js'
import { FactReader } from '../../../../../src/adapters/sqlite/file/fact-reader.js'
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
let path: string

/** No segment is defined. Two events of ada occurred at one instant, and one before they were recorded. */
const facts = new SmallLog()
  .created('2026-01-02T00:00:00.000Z', { plan: 'free', city: 'Paris' })
  .created('2026-01-02T01:00:00.000Z', {}, 'bob')
  .event('login', '2026-01-03T00:00:00.000Z')
  .changed('2026-01-04T00:00:00.000Z', { plan: 'paid' })
  .event('login', '2026-01-05T00:00:00.000Z')
  .event('purchase', '2026-01-06T00:00:00.000Z', '2026-01-05T00:00:00.000Z')
  .changed('2026-01-07T00:00:00.000Z', {}, ['city']).log

beforeEach(async () => {
  path = join(folder(), 'read-model.db')
  await make(path, facts)
})

async function make(file: string, log: typeof facts): Promise<void> {
  const driven = new DrivenProjections(file)
  for (const fact of log) driven.add(fact)
  await driven.settle()
  driven.close()
}

function audit(most = 100) {
  return auditReadModel({ readModel: path, factsFile: undefined }, most)
}

/** SQL, or what is done to the tables. */
type Damage = string | ((db: Database) => void)

async function accountAfter(damage: Damage) {
  const db = openDatabase(path)
  if (typeof damage === 'string') db.exec(damage)
  else damage(db)
  db.close()
  return audit()
}

/** The position of a fact of the log, and its id. */
const at = (n: number) => String(n * placesOfAFact)
const id = (n: number) => facts[n - 1]?.id ?? ''
const ada = at(1)
const bob = at(2)

/** Other counts of an entity. */
function counted(entity: string, change: Parameters<typeof changeCounts>[2]) {
  return (db: Database) => {
    changeCounts(db, Number(entity), change)
  }
}

/** Other entries of ada in the place of the nth fact's. */
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

it('folds every entity where no segment is defined', async () => {
  expect(await audit()).toEqual({
    position: 7 * placesOfAFact,
    logTime: Date.parse('2026-01-07T00:00:00Z'),
    entities: 2,
    folded: 2,
    facts: 7,
    segments: [],
    passedOver: [],
    members: 0,
    differences: [],
  })
})

it('folds as many entities as it is asked to, where there are more', async () => {
  expect(await audit(1)).toMatchObject({ entities: 2, folded: 1, differences: [] })
})

it('folds no entity of a log that creates none', async () => {
  path = join(folder(), 'read-model.db')
  await make(path, new SmallLog().passed('2026-01-01T00:00:00.000Z').log)
  expect(await audit()).toMatchObject({ entities: 0, folded: 0, facts: 0, differences: [] })
})

const everywhere = '(its profile, the list of entities, the entity by its entity_id)'

it.each<[string, Damage, readonly (string | RegExp)[]]>([
  [
    'properties that were changed by hand',
    `UPDATE entities SET properties = '{"plan":"free"}' WHERE entity = ${ada}`,
    [
      `entity ada: properties are not what its facts say ${everywhere}`,
      'entity ada: it is not found by /plan',
    ],
  ],
  [
    'another number of events',
    counted(ada, (counts) => ({ ...counts, eventCount: 4 })),
    ['entity ada: event_count is 4, by its facts 3 (its profile)'],
  ],
  [
    'another instant of the last event',
    counted(ada, (counts) => ({ ...counts, latestAt: counts.latestAt + 1 })),
    [
      'entity ada: last_event_at is 2026-01-05T00:00:00.001Z, by its facts 2026-01-05T00:00:00.000Z (its profile)',
    ],
  ],
  [
    'another instant of creation',
    `UPDATE entities SET created_at = created_at + 1 WHERE entity = ${bob}`,
    [
      `entity bob: created_at is 2026-01-02T01:00:00.001Z, by its facts 2026-01-02T01:00:00.000Z ${everywhere}`,
    ],
  ],
  [
    'another instant of the last change',
    `UPDATE entities SET updated_at = updated_at + 1 WHERE entity = ${ada}`,
    [
      `entity ada: updated_at is 2026-01-07T00:00:00.001Z, by its facts 2026-01-07T00:00:00.000Z ${everywhere}`,
    ],
  ],
  [
    'a profile that takes no more properties without being full',
    `UPDATE entities SET is_full = 1 WHERE entity = ${ada}`,
    ['entity ada: its profile takes no more properties, and is not full by its facts'],
  ],
  [
    'an entity that is not there',
    `DELETE FROM entities WHERE entity = ${ada}`,
    [
      'the number of entities is 1, by the facts 2',
      'entity ada: no profile is answered, and a fact creates it',
    ],
  ],
  [
    'an entity that no fact creates',
    `INSERT INTO entities SELECT 7, 'eve', 'no id', created_at, is_full, properties, updated_at
     FROM entities WHERE entity = ${bob}`,
    ['the number of entities is 3, by the facts 2', 'entity eve: no fact creates it'],
  ],
  [
    'an entity without its counts',
    `DELETE FROM entity_logs WHERE entity = ${bob}`,
    ['entity bob: no profile is answered, and a fact creates it'],
  ],
  [
    'properties that are no JSON',
    `UPDATE entities SET properties = '{' WHERE entity = ${bob}`,
    [/^entity bob: its profile cannot be answered \(.*JSON.*\)$/],
  ],
  [
    'an event that is missing among those by their own time',
    changed(5, (entry) => [{ ...entry, isStraggler: true }]),
    [
      `entity ada: events?by=occurred&order=desc: its item 2 is fact ${id(3)}, by its facts ${id(5)}`,
    ],
  ],
  [
    'the newest event that is missing',
    changed(6, () => []),
    [
      `entity ada: events?by=occurred&order=desc: its item 1 is fact ${id(5)}, by its facts ${id(6)}`,
      `entity ada: events?by=recorded&order=desc: its item 1 is fact ${id(5)}, by its facts ${id(6)}`,
    ],
  ],
  [
    'the oldest event that is missing',
    changed(3, () => []),
    [
      /^entity ada: event_count is 1, by its facts 2 \(its profile as_of=/,
      `entity ada: events?by=occurred&order=desc: its item 3 is missing, by its facts ${id(3)}`,
      `entity ada: events?by=recorded&order=desc: its item 3 is missing, by its facts ${id(3)}`,
    ],
  ],
  [
    'an event that is listed for another entity, too',
    (db) => {
      counted(bob, (counts) => ({ ...counts, inOrder: -1 }))(db)
      db.exec(`INSERT INTO stragglers VALUES (${bob}, 5, ${at(3)}, 3)`)
    },
    [`entity bob: events?by=occurred&order=desc: its item 1 is fact ${id(3)}, by its facts none`],
  ],
  [
    'an event that is listed and not stored',
    (db) => {
      counted(ada, (counts) => ({ ...counts, inOrder: 2 }))(db)
      db.exec(`INSERT INTO stragglers VALUES (${ada}, 5, 5, 3)`)
    },
    [
      'entity ada: events?by=occurred&order=desc cannot be answered (no fact of ours is at position 5)',
    ],
  ],
  [
    'events at another instant, in the same order',
    changedAll([5, 6], (entry) => [{ ...entry, at: Date.parse('2026-01-04T23:59:00Z') }]),
    [
      `entity ada: events?by=occurred&order=asc&since=2026-01-05T00%3A00%3A00.000Z: its item 1 is missing, by its facts ${id(5)}`,
    ],
  ],
  [
    'an event that is not found by its name',
    changed(6, (entry) => [{ ...entry, kind: entry.kind + 1 }]),
    [
      `entity ada: events?by=occurred&order=asc&name=purchase: its item 1 is missing, by its facts ${id(6)}`,
      `entity ada: events?by=recorded&order=asc&name=purchase: its item 1 is missing, by its facts ${id(6)}`,
    ],
  ],
  [
    'a change that is missing in the history',
    changed(4, (entry) => [{ ...entry, kind: otherKind }]),
    [`entity ada: history: its item 2 is fact ${id(1)}, by its facts ${id(4)}`],
  ],
  [
    'a change of another entity in the history',
    (db) => {
      changeEntries(db, Number(bob), (entry) => [entry, { ...entry, position: Number(at(4)) }])
    },
    [`entity bob: history: its item 1 is fact ${id(4)}, by its facts ${id(2)}`].map(String),
  ],
  [
    'an entity that is not found by a text of its own',
    'DELETE FROM property_texts',
    ['entity ada: it is not found by /plan'],
  ],
  [
    'another log time',
    'UPDATE checkpoint SET log_time = log_time + 1',
    ['log time is 2026-01-07T00:00:00.001Z, by the facts 2026-01-07T00:00:00.000Z'],
  ],
])('finds %s', async (_, damage, differences) => {
  const { differences: found } = await accountAfter(damage)
  expect(found).toEqual(
    differences.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))),
  )
})

it('finds a fact that is said to be known later than it was', async () => {
  const { differences } = await accountAfter(
    changed(5, (entry) => [{ ...entry, logTime: entry.logTime + 86_400_000 }]),
  )
  const past = '(its profile as_of=2026-01-05T00:00:00.000Z&known_at=2026-01-05T00:00:00.000Z)'
  expect(differences).toEqual([
    `entity ada: event_count is 1, by its facts 2 ${past}`,
    `entity ada: last_event_at is 2026-01-03T00:00:00.000Z, by its facts 2026-01-05T00:00:00.000Z ${past}`,
  ])
})

/** The lists that one read model answers, compared with facts of another one that differ. */
async function listsAgainst(change: string) {
  const other = join(folder(), 'other.db')
  await make(other, facts)
  const db = openDatabase(other)
  db.exec(change)
  const known = new FactReader(db)
  const picked = new PickedEntities(known, 1)
  picked.lookUntil(Infinity)
  const driven = new DrivenProjections()
  for (const fact of facts) driven.add(fact)
  try {
    const lists = new ComparedLists((name, query) => driven.query(name, query), known)
    const [entity = none] = picked.all
    const folded = new EntityFolds(known, [], 0).fold(entity)
    return [...(await lists.history(folded)), ...(await lists.events(folded))]
  } finally {
    driven.close()
    db.close()
  }
}

const none = { externalId: '', positions: [], logTimes: [] }
const ofBob = `DELETE FROM facts WHERE position = ${bob};`

it('finds no difference between lists and the facts that they list', async () => {
  expect(await listsAgainst(ofBob)).toEqual([])
})

it('finds a change of another request in the history', async () => {
  const found = await listsAgainst(
    `${ofBob} UPDATE facts SET metadata = replace(metadata, '"test"', '"another"')
     WHERE position = ${at(4)}`,
  )
  expect(found).toEqual([`history: its item 2 is not what fact ${id(4)} says`])
})

it('finds an event with other properties among its events', async () => {
  const found = await listsAgainst(
    `${ofBob} UPDATE facts SET data = replace(data, '"properties":{}', '"properties":{"a":1}')
     WHERE position = ${at(5)}`,
  )
  expect(found).toEqual([
    `events?by=occurred&order=desc: its item 2 is not what fact ${id(5)} says`,
    `events?by=recorded&order=desc: its item 2 is not what fact ${id(5)} says`,
  ])
})

it('compares more events, changes and facts than are in memory at a time', async () => {
  path = join(folder(), 'read-model.db')
  const log = new SmallLog().created('2026-01-01T00:00:00.000Z')
  for (let n = 10; n < 60; n += 1) {
    log.event('login', `2026-01-02T00:00:${String(n)}.000Z`)
    log.changed(`2026-01-02T00:00:${String(n)}.000Z`, { n })
  }
  await make(path, log.log)
  expect(await audit()).toMatchObject({ folded: 1, facts: 101, differences: [] })
  const { differences } = await accountAfter(changed(3, () => []))
  expect(differences).toContainEqual(
    expect.stringMatching(/^entity ada: history: its item 50 is fact .*01, by its facts .*03$/),
  )
})
