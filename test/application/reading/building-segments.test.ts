import { setImmediate as immediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { pause } from '../../../src/adapters/system/clock-and-ids.js'
import { toStored } from '../../../src/application/facts/fact-format.js'
import type { Fact } from '../../../src/application/facts/fact-table.js'
import { RunningProjections } from '../../../src/application/reading/run-projections.js'
import { silentLog } from '../../support/silent-log.js'
import { factOf, openedProjections } from '../../support/segments/driven-projections.js'
import { storedEntity } from '../../support/stored-entity.js'

const at = '2026-11-20T09:30:00.000Z'
const untilTheEndOfTheTest = 60_000

let store: MemoryEventStore
let model: RunningProjections

beforeEach(async () => {
  store = new MemoryEventStore()
  model = new RunningProjections(store, openedProjections(), { log: silentLog, gatherMs: 0, pause })
  model.start()
  for (const append of storedEntity('ada', 1)) await store.append(append)
  await appendAt('segments', -1, definition)
})
afterEach(() => model.close())

const definition = factOf({
  id: '01a1ff14-0000-7000-8000-000000000001',
  type: 'SegmentDefined',
  data: {
    ...{ segment: 'all', version: 1, title: 'All', kind: 'rule', rule: { everyone: true } },
    ...{ evaluator: 1, definedAt: at },
  },
})
const retirement = factOf({
  id: '01a1ff14-0000-7000-8000-000000000002',
  type: 'SegmentRetired',
  data: { segment: 'all', version: 1, retiredAt: at },
})

async function appendAt(stream: string, revision: number, fact: Fact): Promise<number> {
  const stored = toStored(fact, { requestId: 'test', keyHash: undefined })
  return Number((await store.appendAt({ stream, revision, facts: [stored] })).position)
}

/** Publishes the `SegmentBuilt` as soon as the backfill is complete. */
async function publishTheBuild(): Promise<void> {
  for (;;) {
    const want = { position: 'head', waitMs: untilTheEndOfTheTest } as const
    const { value } = await model.query('unpublished', { except: [] }, want)
    for (const { stream, revision, facts } of value.streams) {
      const id = '01a1ff14-0000-7000-8000-000000000003'
      for (const fact of facts) await appendAt(stream, revision, factOf({ id, ...fact }))
    }
    if (value.streams.length > 0) return
    await immediate()
  }
}

const reads = {
  members: (waitMs: number) => model.query('segmentMembers', { key: 'all', limit: 9 }, { waitMs }),
  explanation: (waitMs: number) =>
    model.query('explainSegment', { key: 'all', externalId: 'ada' }, { waitMs }),
  evaluation: (waitMs: number) =>
    model.query('evaluateRule', { rule: { segment: 'all' }, externalIds: ['ada'] }, { waitMs }),
}

/** Resolves when all facts so far are applied. */
function caughtUp() {
  return model.query('segment', { key: 'all' }, { position: 'head', waitMs: untilTheEndOfTheTest })
}

describe.each(['members', 'explanation', 'evaluation'] as const)(
  'a query for %s of a segment whose first backfill is not complete',
  (name) => {
    it('waits until the backfill is complete, and is then answered', async () => {
      await caughtUp()
      const asked = reads[name](untilTheEndOfTheTest)
      await publishTheBuild()
      const expected = {
        members: { members: 1, items: [{ externalId: 'ada' }] },
        explanation: { explanation: { member: true } },
        evaluation: [{ membership: { member: true } }],
      }
      expect((await asked).value).toMatchObject(expected[name])
    })

    it('is refused when it may not wait, and when its time limit has passed', async () => {
      await caughtUp()
      await expect(reads[name](0)).rejects.toMatchObject({ code: 'building' })
      await expect(reads[name](30)).rejects.toMatchObject({ code: 'building' })
    })
  },
)

it('a query that waits for a backfill finds no segment after the segment is retired', async () => {
  await caughtUp()
  const asked = reads.members(untilTheEndOfTheTest)
  await appendAt('segments', 0, retirement)
  expect((await asked).value).toBeUndefined()
})

it('a query that waits for a position and a backfill waits for both within one time limit', async () => {
  const position = (await caughtUp()).position
  const asked = model.query('segmentMembers', { key: 'all', limit: 9 }, { position, waitMs: 30 })
  await expect(asked).rejects.toMatchObject({ code: 'building' })
})

it('a stop refuses queries that wait for a backfill', async () => {
  await caughtUp()
  const asked = reads.members(untilTheEndOfTheTest)
  const refused = expect(asked).rejects.toMatchObject({ code: 'building' })
  await immediate()
  await model.close()
  await refused
})
