import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { DrivenProjections } from '../../../../support/segments/driven-projections.js'
import type { Rule } from '../../../../support/segments/rule-grammar.js'
import { SmallLog } from '../../../../support/segments/small-log.js'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString()

let driven: DrivenProjections

beforeEach(() => {
  driven = new DrivenProjections()
})
afterEach(() => {
  driven.close()
})

async function membersAfter(log: SmallLog, key: string): Promise<number | undefined> {
  for (const fact of log.log) {
    driven.add(fact)
    await driven.settle()
  }
  return (await driven.query('segmentMembers', { key, limit: 1 }))?.members
}

it('a property that was unset while no rule named it is not there for a later rule', async () => {
  const rule: Rule = { all: [{ property: '/plan', is: { eq: 'paid' } }, { event: 'buy' }] }
  const log = new SmallLog()
    .created(at(0), { plan: 'paid' })
    .defined(at(1), 'first', rule)
    .changed(at(2), { plan: 'paid', n: 1 })
    .retired(at(3), 'first')
    .changed(at(4), {}, ['plan'])
    .defined(at(5), 'second', rule)
    .event('buy', at(6))
  expect(await membersAfter(log, 'second')).toBe(0)
})

it('events that came while no rule counted them are counted by a later rule', async () => {
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
  expect(await membersAfter(log, 'second')).toBe(1)
})

it('an instant that passed while no rule was evaluated is not gone back to by a later rule', async () => {
  const log = new SmallLog()
    .created(at(0))
    .defined(at(0), 'first', { property: '/plan', is: { exists: false }, for: '5m' })
    .changed(at(1), { n: 1 })
    .retired(at(2), 'first')
    .event('other', at(7))
    .defined(at(8), 'second', { property: '/n', is: { exists: true }, for: '5m' })
    .event('other', at(9))
  expect(await membersAfter(log, 'second')).toBe(1)
  const page = await driven.query('segmentMembers', { key: 'second', limit: 1 })
  expect(page?.items).toMatchObject([{ since: at(8) }])
})
