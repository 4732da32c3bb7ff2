import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { auditFiles } from '../../../../support/read-model/audit-files.js'
import {
  openDatabase,
  prepareRows,
  type Database,
} from '../../../../../src/adapters/sqlite/file/driver.js'
import { valuesIn } from '../../../../../src/adapters/sqlite/file/row.js'
import { valueOf } from '../../../../../src/adapters/sqlite/file/schema.js'
import { otherKind } from '../../../../../src/adapters/sqlite/read-model/fact-kinds.js'
import { EntityStates } from '../../../../../src/adapters/sqlite/read-model/segments/evaluation/entity-states.js'
import { LentProfiles } from '../../../../../src/adapters/sqlite/read-model/thread/lent-profiles.js'
import { Generations } from '../../../../../src/adapters/sqlite/read-model/segments/evaluation/generations.js'
import { StateNumbers } from '../../../../../src/adapters/sqlite/read-model/segments/evaluation/state-numbers.js'
import type { EntityState } from '../../../../../src/domain/segments/membership/entity-state.js'
import {
  DrivenProjections,
  placesOfAFact,
} from '../../../../support/segments/driven-projections.js'
import { changeEntries } from '../../../../support/read-model/change-entries.js'
import { SmallLog } from '../../../../support/segments/small-log.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()
const kept = temporaryFolders(afterAll)
/** The file of a complete read model. Each test changes a copy of the file. */
let complete: string
let path: string

/** Ada is a member of all three segments. The timer of ada is due when the event leaves its window. */
const facts = new SmallLog()
  .defined('2026-01-01T00:00:00.000Z', 'active', {
    event: 'login',
    within: '30d',
    count: { gte: 2 },
  })
  .defined('2026-01-01T00:00:00.000Z', 'paying', {
    property: '/plan',
    is: { eq: 'paid' },
    for: '12h',
  })
  .defined('2026-01-01T00:00:00.000Z', 'friends')
  .created('2026-01-02T00:00:00.000Z', { plan: 'paid' })
  .created('2026-01-02T00:00:00.000Z', {}, 'bob')
  .event('login', '2026-01-03T00:00:00.000Z')
  .event('login', '2026-01-04T00:00:00.000Z')
  .put('2026-01-05T00:00:00.000Z', 'friends').log

beforeAll(async () => {
  complete = join(kept(), 'read-model.db')
  const driven = new DrivenProjections(complete)
  await driven.settleAfterEach(facts)
  driven.close()
})

beforeEach(() => {
  path = join(folder(), 'read-model.db')
  copyFileSync(complete, path)
})

function audit() {
  return auditFiles({ readModel: path, factsFile: undefined }, 100)
}

/** SQL, or a function that changes the tables. */
type Damage = string | ((db: Database) => void)

async function differencesAfter(damage: Damage): Promise<readonly string[]> {
  const db = openDatabase(path)
  if (typeof damage === 'string') db.exec(damage)
  else damage(db)
  db.close()
  return (await audit()).differences
}

/** The active id of the first definition, which is the first fact. */
const firstId = placesOfAFact.toString(36)
/** The number of the first segment in the table `members`. */
const active = '(SELECT min(segment) FROM members)'
const ada = "(SELECT entity FROM entities WHERE external_id = 'ada')"

/** Writes a changed state of ada. */
const changeState =
  (change: (state: EntityState) => void): Damage =>
  (db) => {
    const generations = new Generations(db, new LentProfiles(0))
    const parts = prepareRows(db, 'SELECT part FROM state_parts').all().map(valuesIn).map(String)
    const looked = {
      conditions: new Set(parts.filter((part) => !part.startsWith('/'))),
      names: new Set(parts.flatMap((part) => (part.startsWith('/') ? [part.slice(1)] : []))),
      segments: new Set(generations.all.map((generation) => generation.active)),
    }
    const states = new EntityStates(db, new StateNumbers(db, looked, generations.numberOf))
    const row = states.get(Number(valueOf(db, `SELECT ${ada}`)))
    if (row === undefined) throw new Error('ada is there')
    change(row.state)
    states.change(row)
    states.write()
  }

it('an audit of an undamaged read model finds no difference, and returns what it compared', async () => {
  expect(await audit()).toEqual({
    position: 8 * placesOfAFact + 1,
    logTime: Date.parse('2026-01-05T00:00:00Z'),
    entities: 2,
    folded: 2,
    facts: 5,
    segments: ['active version 1', 'paying version 1', 'friends version 1'],
    skipped: [],
    members: 3,
    differences: [],
    moreDifferences: 0,
  })
})

const since = (day: number) => String(Date.parse(`2026-01-0${String(day)}T00:00:00Z`))
const inActive = 'its membership in active version 1'

it.each<[string, Damage, readonly (string | RegExp)[]]>([
  [
    'a member that is missing in the list',
    `DELETE FROM members WHERE segment = ${active}`,
    [
      `entity ada: ${inActive} is none, rebuilt since 2026-01-04T00:00:00.000Z`,
      'active version 1: its number of members is 1, counted 0',
      /^active version 1: its digest is [0-9a-f]{16}, counted 0{16}$/,
    ],
  ],
  [
    'a member that should not be a member',
    `INSERT INTO members SELECT segment, entities.entity, 5 FROM members, entities
     WHERE segment = ${active} AND external_id = 'bob'`,
    [
      `entity bob: ${inActive} is since 1970-01-01T00:00:00.005Z, rebuilt none`,
      'active version 1: its number of members is 1, counted 2',
      /its digest/,
    ],
  ],
  [
    'a member that is not an entity',
    `INSERT INTO members VALUES (${active}, 7, 5)`,
    [
      `entity number 7, which does not exist: ${inActive} is since 1970-01-01T00:00:00.005Z, rebuilt none`,
      'active version 1: its number of members is 1, counted 2',
      /its digest/,
    ],
  ],
  [
    'another start of a membership',
    `UPDATE members SET since = since + 1 WHERE segment = ${active}`,
    [
      `entity ada: ${inActive} is since 2026-01-04T00:00:00.001Z, rebuilt since 2026-01-04T00:00:00.000Z`,
    ],
  ],
  [
    'another number of members',
    `UPDATE generations SET members = 2 WHERE active LIKE '${firstId}.%'`,
    ['active version 1: its number of members is 2, counted 1'],
  ],
  [
    'another number of events in the dictionary',
    `UPDATE dictionary_names SET count = 3 WHERE name = 'login';
     UPDATE dictionary_days SET count = 2 WHERE day = ${String(Date.parse('2026-01-03') / 86_400_000)};
     UPDATE dictionary_totals SET people = 1`,
    [
      'the read model: event name (name login): not as rebuilt',
      /^the read model: event name on a day \(name, day login, 20456\): not as rebuilt$/,
      /^the read model: total of a day \(day 20455\): not as rebuilt$/,
      /^the read model: total of a day \(day 20456\): not as rebuilt$/,
      /^the read model: total of a day \(day 20457\): not as rebuilt$/,
    ],
  ],
  [
    'a property in the dictionary that no profile has',
    `INSERT INTO dictionary_pointers VALUES (0, '/age', 1, 0, 0, 0, 0, 0);
     UPDATE dictionary_pointers SET strings = 0, numbers = 1 WHERE pointer = '/plan'`,
    [
      'the read model: property (name, pointer , /age): not as rebuilt',
      'the read model: property (name, pointer , /plan): not as rebuilt',
    ],
  ],
  [
    'another digest',
    `UPDATE generations SET digest = '000000000000000a' WHERE id = ${active}`,
    [/^active version 1: its digest is 000000000000000a, counted [0-9a-f]{16}$/],
  ],
  [
    'a membership that is missing in a state',
    changeState(({ members }) => members.delete(`${firstId}.0`)),
    [`entity ada: ${inActive}, in its state, is none, rebuilt since 2026-01-04T00:00:00.000Z`],
  ],
  [
    'a missing state',
    `DELETE FROM states WHERE entity = ${ada}`,
    [
      `entity ada: ${inActive}, in its state, is none, rebuilt since`,
      'entity ada: its membership in paying version 1, in its state, is none, rebuilt since',
      'entity ada: its membership in friends version 1, in its state, is none, rebuilt since',
      'entity ada: properties in its state .item 1 of 1.: not as rebuilt',
      'entity ada: own times of properties in its state .item 1 of 1.: not as rebuilt',
      'entity ada: sustained tests in its state .item 1 of 1.: not as rebuilt',
      'entity ada: events in its state .item 1 of 1.: not as rebuilt',
    ].map((text) => new RegExp(`^${text}`)),
  ],
  [
    'an event at another instant',
    changeState(({ instants }) => {
      for (const [id, list] of instants) {
        const moved = list.map((at) => (at === Number(since(3)) ? Number(since(2)) : at))
        instants.set(id, moved)
      }
    }),
    [
      'entity ada: events in its state (item 1 of 1): not as rebuilt',
      'entity ada: its timer is 2026-02-02T00:00:00.000Z, rebuilt in time',
    ],
  ],
  [
    'another property',
    changeState(({ properties }) => properties.set('plan', 'free')),
    ['entity ada: properties in its state (item 1 of 1): not as rebuilt'],
  ],
  [
    'a member by hand whose fact is missing',
    (db) => {
      changeEntries(db, Number(valueOf(db, `SELECT ${ada}`)), (entry) =>
        entry.kind === otherKind ? [] : [entry],
      )
    },
    ['entity ada: its log (item 4 of 4): not as rebuilt'],
  ],
  [
    'a timer that is too late',
    `UPDATE states SET due = due + 1 WHERE entity = ${ada}`,
    ['entity ada: its timer is 2026-02-02T00:00:00.001Z, rebuilt in time'],
  ],
  [
    'a timer before log time',
    `UPDATE states SET due = ${since(5)} WHERE entity = ${ada}`,
    ['entity ada: its timer is 2026-01-05T00:00:00.000Z, rebuilt in time'],
  ],
  [
    'a published change that is missing in the list',
    'DELETE FROM changes',
    [
      /^the read model: published change \(segment, at, position active, [0-9]+, [0-9]+\): missing$/,
      /^the read model: published change \(segment, at, position friends, [0-9]+, [0-9]+\): missing$/,
      /^the read model: published change \(segment, at, position paying, [0-9]+, [0-9]+\): missing$/,
    ],
  ],
  [
    'another number of members at the end of a day',
    "UPDATE segment_days SET members = 9 WHERE segment = 'active' AND members = 1",
    [/^the read model: day of the curve \(segment, day active, [0-9]+\): not as rebuilt$/],
  ],
  [
    'a stream with another length',
    "UPDATE stream_lengths SET facts = 7 WHERE stream = 'members-active'",
    [/^the read model: length of stream \(stream members-active\): not as rebuilt$/],
  ],
  [
    'a definition that was changed by hand',
    `UPDATE other_facts SET fact = replace(fact, '"title":"active"', '"title":"other"')`,
    [/^the read model: definition \(position 10000\): not as rebuilt$/],
  ],
])('an audit finds %s', async (_, sql, differences) => {
  const found = await differencesAfter(sql)
  expect(found).toEqual(
    differences.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))),
  )
})

it('an audit compares the version that queries use, and skips the version whose backfill is not complete', async () => {
  const { log } = new SmallLog()
    .defined('2026-01-01T00:00:00.000Z', 'active', { event: 'login', within: '30d' })
    .created('2026-01-02T00:00:00.000Z')
    .event('login', '2026-01-03T00:00:00.000Z')
    .defined('2026-01-05T00:00:00.000Z', 'active', { not: { event: 'login' } })
  path = join(folder(), 'read-model.db')
  const driven = new DrivenProjections(path)
  await driven.settleAfterEach(log.slice(0, -1))
  driven.addAll(log.slice(-1))
  driven.close()
  expect(await audit()).toMatchObject({
    segments: ['active version 1'],
    skipped: ['active version 2: its backfill is not complete'],
    members: 1,
    differences: [],
  })
})

it.each<[string, () => unknown]>([
  ['the next audit', audit],
  [
    'the next start',
    () => {
      new DrivenProjections(path).close()
    },
  ],
])('the files of a killed audit are removed by %s', async (_, remove) => {
  const left = `${path}.audit`
  mkdirSync(left)
  writeFileSync(join(left, 'snapshot.db'), 'customers')
  await remove()
  expect(existsSync(left)).toBe(false)
})

it('an audit changes no file and leaves no file', async () => {
  const files = () => [readFileSync(path, 'base64'), readdirSync(join(path, '..'))]
  const before = files()
  await audit()
  expect(files()).toEqual(before)
})
