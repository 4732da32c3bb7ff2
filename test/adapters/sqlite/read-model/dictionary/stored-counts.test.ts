import { expect, it } from '@jest/globals'
import { join } from 'node:path'
import { entityStream } from '../../../../../src/domain/entity.js'
import { DrivenProjections } from '../../../../support/segments/driven-projections.js'
import { FactsFile } from '../../../../support/segments/facts-file.js'
import { SmallLog } from '../../../../support/segments/small-log.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()
const at = '2026-11-20T09:30:00.000Z'
const bob = entityStream('bob')

const countsOf = async (driven: DrivenProjections) => {
  const { events, isComplete } = await driven.query('dictionary', {})
  return { counts: events.map(({ name, count }) => [name, count]), isComplete }
}

it('the counts are stored with the facts that they count', async () => {
  const path = join(folder(), 'read-model.db')
  const first = new DrivenProjections(path)
  const log = new SmallLog().created(at, { plan: 'free' }).event('buy', at)
  first.addAll(log.log)
  first.close()
  const second = new DrivenProjections(path)
  expect(second.dictionaryStatus).toEqual({ names: 1, isFull: false })
  second.addAll(log.event('buy', at).log.slice(-1))
  expect(await countsOf(second)).toEqual({ counts: [['buy', 2]], isComplete: true })
  const { properties } = await second.query('dictionary', {})
  expect(properties).toMatchObject([{ pointer: '/plan', count: 1 }])
  second.close()
})

it('the last day of an event name is the last day that still has an event', async () => {
  const driven = new DrivenProjections()
  const log = new SmallLog()
    .created(at)
    .event('buy', at)
    .event('buy', at, '2026-11-23T00:00:00.000Z')
  const daysAfter = async (facts: typeof log.log) => {
    driven.addAll(facts)
    const { events } = await driven.query('dictionary', {})
    return events.map(({ firstDay, lastDay }) => [firstDay, lastDay])
  }
  expect(await daysAfter(log.log)).toEqual([['2026-11-20', '2026-11-23']])
  const voided = log.voided(at, log.log.at(-1)?.id ?? '').log.slice(-1)
  expect(await daysAfter(voided)).toEqual([['2026-11-20', '2026-11-20']])
  driven.close()
})

/**
 * Starts counting events again: the facts of ada are lost, and bob and cy have 200 events each. Returns when some
 * events of bob are counted, and the others are not.
 */
async function recounting() {
  const path = folder()
  const facts = new FactsFile(join(path, 'facts.db'))
  const driven = new DrivenProjections(join(path, 'read-model.db'), undefined, 0, facts)
  const log = new SmallLog().created(at).event('lost', at)
  for (const name of ['bob', 'cy']) {
    log.created(at, {}, name)
    for (let index = 0; index < 200; index += 1) log.event('buy', at, at, {}, name)
  }
  driven.addAll(log.log)
  const ada = driven.entityIdOf('ada') ?? ''
  driven.erase(ada, at)
  // The store removes the facts before the read model has subtracted them.
  driven.removeFacts(ada, 'stubs')
  let counted = await countsOf(driven)
  while (counted.isComplete || counted.counts.length === 0) {
    await driven.work(1)
    counted = await countsOf(driven)
  }
  expect(counted.counts).toEqual([['buy', expect.any(Number)]])
  expect(counted.counts[0]?.[1]).toBeLessThan(200)
  return { driven, log }
}

it('events are counted again while facts arrive and entities are erased', async () => {
  const { driven, log } = await recounting()
  driven.erase(driven.entityIdOf('bob') ?? '', at)
  driven.addAll(log.event('buy', at, at, {}, 'cy').log.slice(-1))
  await driven.settle()
  expect(await countsOf(driven)).toEqual({ counts: [['buy', 201]], isComplete: true })
  const totals = await driven.query('totals', { since: 20_777, until: 20_778 })
  expect([totals.people, totals.events, totals.days[0]?.events]).toEqual([1, 201, [['buy', 201]]])
  driven.close()
})

it('events that are voided while events are counted again are subtracted once', async () => {
  const { driven, log } = await recounting()
  const events = log.log.filter(({ type, stream }) => type === 'EventRecorded' && stream === bob)
  // The first event is counted already, and the last one is not.
  for (const index of [0, -1]) log.voided(at, events.at(index)?.id ?? '')
  driven.addAll(log.log.slice(-2))
  await driven.settle()
  expect(await countsOf(driven)).toEqual({ counts: [['buy', 398]], isComplete: true })
  driven.close()
})
