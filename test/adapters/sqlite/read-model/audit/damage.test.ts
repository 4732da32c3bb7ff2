import { join } from 'node:path'
import { beforeEach, expect, it } from '@jest/globals'
import { auditReadModel } from '../../../../../src/adapters/sqlite/read-model/audit/audit-read-model.js'
import {
  openDatabase,
  prepareRows,
  type Database,
} from '../../../../../src/adapters/sqlite/file/driver.js'
import { valuesIn } from '../../../../../src/adapters/sqlite/file/row.js'
import { valueOf } from '../../../../../src/adapters/sqlite/file/schema.js'
import { otherKind } from '../../../../../src/adapters/sqlite/read-model/fact-kinds.js'
import { EntityStates } from '../../../../../src/adapters/sqlite/read-model/segments/evaluation/entity-states.js'
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
let path: string

/** Ada is in all three; it is due when the event leaves its window. */
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

beforeEach(async () => {
  path = join(folder(), 'read-model.db')
  const driven = new DrivenProjections(path)
  for (const fact of facts) {
    driven.add(fact)
    await driven.settle()
  }
  driven.close()
})

function audit() {
  return auditReadModel({ readModel: path, factsFile: undefined }, 100)
}

/** SQL, or what is done to the tables. */
type Damage = string | ((db: Database) => void)

async function differencesAfter(damage: Damage): Promise<readonly string[]> {
  const db = openDatabase(path)
  if (typeof damage === 'string') db.exec(damage)
  else damage(db)
  db.close()
  return (await audit()).differences
}

/** The first definition is at the place of the first fact. */
const firstId = placesOfAFact.toString(36)
/** The number of a segment in the table of members. */
const active = '(SELECT min(segment) FROM members)'
const ada = "(SELECT entity FROM entities WHERE external_id = 'ada')"

/** Writes the state of `ada` as it is after a change. */
const changeState =
  (change: (state: EntityState) => void): Damage =>
  (db) => {
    const generations = new Generations(db)
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

it('finds nothing where nothing is wrong, and says what it looked at', async () => {
  expect(await audit()).toEqual({
    position: 8 * placesOfAFact + 1,
    logTime: Date.parse('2026-01-05T00:00:00Z'),
    entities: 2,
    folded: 2,
    facts: 5,
    segments: ['active version 1', 'paying version 1', 'friends version 1'],
    passedOver: [],
    members: 3,
    differences: [],
  })
})

const since = (day: number) => String(Date.parse(`2026-01-0${String(day)}T00:00:00Z`))
const adaIsActive = 'entity ada: active version 1: since 2026-01-04T00:00:00.000Z by its facts'

it.each<[string, Damage, readonly (string | RegExp)[]]>([
  [
    'a member that is gone from the list',
    `DELETE FROM members WHERE segment = ${active}`,
    [
      'active version 1: its number of members is 1, counted 0',
      /^active version 1: its digest is [0-9a-f]{16}, counted 0{16}$/,
      `${adaIsActive}, no member in the list of members, since 2026-01-04T00:00:00.000Z in what is kept of it`,
    ],
  ],
  [
    'a member who should be none',
    `INSERT INTO members SELECT segment, entities.entity, 5 FROM members, entities
     WHERE segment = ${active} AND external_id = 'bob'`,
    [
      'active version 1: its number of members is 1, counted 2',
      /its digest/,
      'entity bob: active version 1: no member by its facts, since 1970-01-01T00:00:00.005Z in the list of members, no member in what is kept of it',
    ],
  ],
  [
    'a member that is no entity',
    `INSERT INTO members VALUES (${active}, 7, 5)`,
    ['active version 1: its members that are entities is 2, counted 1'],
  ],
  [
    'another since',
    `UPDATE members SET since = since + 1 WHERE segment = ${active}`,
    [
      `${adaIsActive}, since 2026-01-04T00:00:00.001Z in the list of members, since 2026-01-04T00:00:00.000Z in what is kept of it`,
    ],
  ],
  [
    'another number of members',
    `UPDATE generations SET members = 2 WHERE active LIKE '${firstId}.%'`,
    ['active version 1: its number of members is 2, counted 1'],
  ],
  [
    'another digest',
    `UPDATE generations SET digest = '000000000000000a' WHERE id = ${active}`,
    [/^active version 1: its digest is 000000000000000a, counted [0-9a-f]{16}$/],
  ],
  [
    'a member that is gone from a state',
    changeState(({ members }) => members.delete(`${firstId}.0`)),
    [
      `${adaIsActive}, since 2026-01-04T00:00:00.000Z in the list of members, no member in what is kept of it`,
      'entity ada: its profile: active version 1: no member, by its facts since 2026-01-04T00:00:00.000Z until 2026-02-02T00:00:00.000Z',
      'entity ada: its segments: active version 1: no member, by its facts since 2026-01-04T00:00:00.000Z until 2026-02-02T00:00:00.000Z',
    ],
  ],
  [
    'a state that is gone',
    `DELETE FROM states WHERE entity = ${ada}`,
    [
      adaIsActive,
      'entity ada: paying version 1:',
      'entity ada: friends version 1:',
      'entity ada: what is kept of its properties is not what its facts say',
      'entity ada: what is kept of its tests that must hold for some time is not what its facts say',
      'entity ada: what is kept of its events is not what its facts say',
      'entity ada: it is due never, and must be after log time and by 2026-02-02T00:00:00.000Z',
      'entity ada: its profile: active version 1: no member',
      'entity ada: its profile: paying version 1: no member',
      'entity ada: its profile: friends version 1: no member',
      'entity ada: its segments: active version 1: no member',
      'entity ada: its segments: paying version 1: no member',
      'entity ada: its segments: friends version 1: no member',
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
      'entity ada: what is kept of its events is not what its facts say',
      'entity ada: its segments: active version 1: since 2026-01-04T00:00:00.000Z until 2026-02-01T00:00:00.000Z, by its facts since 2026-01-04T00:00:00.000Z until 2026-02-02T00:00:00.000Z',
    ],
  ],
  [
    'another property',
    changeState(({ properties }) => properties.set('plan', 'free')),
    ['entity ada: what is kept of its properties is not what its facts say'],
  ],
  [
    'a member by hand whose fact is not found any longer',
    (db) => {
      changeEntries(db, Number(valueOf(db, `SELECT ${ada}`)), (entry) =>
        entry.kind === otherKind ? [] : [entry],
      )
    },
    [
      'entity ada: its segments by known_at: friends version 1: no member, by its facts since 2026-01-05T00:00:00.000Z',
    ],
  ],
  [
    'an entity that is due too late',
    `UPDATE states SET due = due + 1 WHERE entity = ${ada}`,
    [
      'entity ada: it is due 2026-02-02T00:00:00.001Z, and must be after log time and by 2026-02-02T00:00:00.000Z',
    ],
  ],
  [
    'an entity that was due before log time',
    `UPDATE states SET due = ${since(5)} WHERE entity = ${ada}`,
    [/^entity ada: it is due 2026-01-05T00:00:00.000Z, and must be after log time/],
  ],
])('finds %s', async (_, sql, differences) => {
  const found = await differencesAfter(sql)
  expect(found).toEqual(
    differences.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))),
  )
})

it('changes nothing of the file, and leaves none beside it', async () => {
  const { readFileSync, readdirSync } = await import('node:fs')
  const before = [readFileSync(path), readdirSync(join(path, '..'))]
  await audit()
  expect([readFileSync(path), readdirSync(join(path, '..'))]).toEqual(before)
})
