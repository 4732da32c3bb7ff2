import { expect, it } from '@jest/globals'
import { drivenProjections } from '../../../../../support/segments/driven-projections.js'
import type { Rule } from '../../../../../support/segments/rule-grammar.js'
import { SmallLog } from '../../../../../support/segments/small-log.js'

const makeProjections = drivenProjections()

const at = (minute: number, second = 0) =>
  new Date(Date.UTC(2026, 10, 20, 9, minute, second)).toISOString()

/** Returns the members of the segment after a log whose work is done at once, and since when they are members. */
async function membersAfter({ log }: SmallLog, key: string) {
  const driven = makeProjections()
  await driven.settleAfterEach(log)
  const page = await driven.query('segmentMembers', { key, limit: 1 })
  return { members: page?.members, since: page?.items[0]?.since }
}

it('a later rule does not see a property that was unset while no rule named it', async () => {
  const rule: Rule = { all: [{ property: '/plan', is: { eq: 'paid' } }, { event: 'buy' }] }
  const log = new SmallLog()
    .created(at(0), { plan: 'paid' })
    .defined(at(1), 'first', rule)
    .changed(at(2), { plan: 'paid', n: 1 })
    .retired(at(3), 'first')
    .changed(at(4), {}, ['plan'])
    .defined(at(5), 'second', rule)
    .event('buy', at(6))
  expect(await membersAfter(log, 'second')).toMatchObject({ members: 0 })
})

it('a later rule counts events that were recorded while no rule counted them', async () => {
  const log = new SmallLog()
    .created(at(0))
    .defined(at(1), 'first', { event: 'buy', count: { gte: 3 } })
    .event('buy', at(2))
    .event('buy', at(2))
    .event('buy', at(2))
    .retired(at(3), 'first')
    .event('buy', at(50))
    .defined(at(51), 'second', { event: 'buy', within: '10m' })
    .event('other', at(55))
    .passed(at(59))
  expect(await membersAfter(log, 'second')).toMatchObject({ members: 1 })
})

it('a later rule does not evaluate timers that passed while no rule was evaluated', async () => {
  const log = new SmallLog()
    .created(at(0))
    .defined(at(0), 'first', { property: '/plan', is: { exists: false }, for: '5m' })
    .changed(at(1), { n: 1 })
    .retired(at(2), 'first')
    .event('other', at(7))
    .defined(at(8), 'second', { property: '/n', is: { exists: true }, for: '5m' })
    .event('other', at(9))
  expect(await membersAfter(log, 'second')).toEqual({ members: 1, since: at(8) })
})

it('a timer undoes the change of an earlier timer', async () => {
  const lately = (within: string): Rule => ({ event: 'buy', within })
  const log = new SmallLog()
    .created(at(0))
    .defined(at(0), 's1', { all: [lately('2m'), { not: lately('1m') }] })
    .event('buy', at(1))
    .passed(at(2))
  expect(await membersAfter(log, 's1')).toEqual({ members: 1, since: at(2) })
  expect(await membersAfter(log.passed(at(3)), 's1')).toEqual({ members: 0 })
})

it('timers due before a fact are evaluated before the fact', async () => {
  const log = new SmallLog()
    .created(at(0))
    .defined(at(0), 's1', { event: 'buy', within: '1m' })
    .event('buy', at(1))
    .event('buy', at(2, 30))
  expect(await membersAfter(log, 's1')).toEqual({ members: 1, since: at(2, 30) })
})
