import { expect, it } from '@jest/globals'
import { LentProfiles } from '../../../../../src/adapters/sqlite/read-model/thread/lent-profiles.js'
import { CrashingProjections } from '../../../../support/segments/crashing-projections.js'
import {
  drivenProjections,
  type DrivenProjections,
} from '../../../../support/segments/driven-projections.js'
import { SmallLog } from '../../../../support/segments/small-log.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const driven = drivenProjections()
const folder = temporaryFolders()

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString()
const buyers = { event: 'buy', within: '10m' } as const

/** What a change of a profile needs: the facts before it, and the change. */
interface Change {
  readonly before: (log: SmallLog) => void
  readonly change: (model: DrivenProjections, log: SmallLog) => Promise<void> | void
}

function addNext(model: DrivenProjections, log: SmallLog): void {
  const next = log.log.at(-1)
  if (next !== undefined) model.add(next)
}

const changes: Readonly<Record<string, Change>> = {
  'an event of the entity': {
    before: () => undefined,
    change: (model, log) => {
      addNext(model, log.event('buy', at(5)))
    },
  },
  'a property of the entity': {
    before: () => undefined,
    change: (model, log) => {
      addNext(model, log.changed(at(5), { plan: 'paid' }))
    },
  },
  'a timer of a segment': {
    before: (log) => log.event('buy', at(2)).defined(at(3), 'buyers', buyers),
    change: (model, log) => {
      addNext(model, log.passed(at(20)))
    },
  },
  'a new segment that is not backfilled': {
    before: () => undefined,
    change: (model, log) => {
      addNext(model, log.defined(at(5), 'buyers', buyers))
    },
  },
  'the end of a backfill': {
    before: (log) => log.event('buy', at(2)),
    change: async (model, log) => {
      addNext(model, log.defined(at(3), 'buyers', buyers))
      for (let reads = 0; reads < 3; reads += 1) await model.query('profile', { externalId: 'ada' })
      await model.settle()
    },
  },
  'the end of a segment': {
    before: (log) => log.event('buy', at(2)).defined(at(3), 'buyers', buyers),
    change: (model, log) => {
      addNext(model, log.retired(at(5), 'buyers'))
    },
  },
  'the erasure of the entity': {
    before: () => undefined,
    change: (model) => {
      model.erase(model.entityIdOf('ada') ?? '', at(5))
    },
  },
  'a rebuild from a log without its last fact': {
    before: (log) => log.event('buy', at(2)),
    change: async (model) => {
      model.log.pop()
      await model.rebuild()
    },
  },
}

it.each(Object.entries(changes))(
  'no profile is kept beyond %s',
  async (_title, { before, change }) => {
    const log = new SmallLog().created(at(0))
    before(log)
    const model = driven()
    await model.settleAfterEach(log.log)
    const read = () => model.query('profile', { externalId: 'ada' })
    for (let reads = 0; reads < 3; reads += 1) await read()
    const { compared } = model.loans
    expect(compared).toBeGreaterThan(0)
    const earlier = await read()
    await change(model, log)
    // The query fails if an earlier answer is still kept and differs.
    expect(await read()).not.toEqual(earlier)
  },
)

it('no profile is kept when the read model goes back to its last commit', async () => {
  const log = new SmallLog().created(at(0)).event('buy', at(1))
  const model = driven()
  model.addAll(log.log)
  const [created, event] = model.log
  if (created === undefined || event === undefined) throw new RangeError('the log has two facts')
  const crashing = new CrashingProjections(folder(), [created])
  try {
    crashing.catchUp()
    crashing.end('closed')
    crashing.follow([created, event])
    crashing.catchUp()
    const read = () => crashing.query('profile', { externalId: 'ada' })
    for (let reads = 0; reads < 3; reads += 1) await read()
    expect(await read()).toMatchObject({ eventCount: 1 })
    crashing.follow([created])
    crashing.end('failed')
    expect(await read()).toMatchObject({ eventCount: 0 })
  } finally {
    crashing.close()
  }
})

it('a profile that changes between the query and its response is not kept', () => {
  const lent = new LentProfiles()
  const [first, second, third] = [{}, {}, {}]
  lent.lend(1, 'ada', first)
  expect(lent.mayKeep(first)).toBe(false)
  lent.lend(1, 'ada', second)
  lent.end(1)
  lent.lend(1, 'ada', third)
  expect(lent.mayKeep(second)).toBe(false)
  expect(lent.mayKeep(third)).toBe(true)
})

it('only the profiles that were lent are named when they change, each once', () => {
  const lent = new LentProfiles()
  for (const entity of [1, 2, 1, 2]) lent.lend(entity, `entity ${String(entity)}`, {})
  expect(lent.takeEnded()).toBeUndefined()
  lent.end(3)
  lent.end(1)
  lent.end(1)
  expect(lent.takeEnded()).toEqual(['entity 1'])
  lent.endAll()
  expect(lent.takeEnded()).toBe('all')
  expect(lent.takeEnded()).toBeUndefined()
})

it('when too many profiles are lent, all loans end', () => {
  const lent = new LentProfiles()
  for (let entity = 0; entity < 20_000; entity += 1) {
    const answer = {}
    lent.lend(entity, 'ada', {})
    lent.lend(entity, 'ada', answer)
    lent.mayKeep(answer)
  }
  expect(lent.takeEnded()).toBe('all')
})
