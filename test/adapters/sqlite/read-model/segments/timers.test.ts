import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { DrivenProjections } from '../../../../support/segments/driven-projections.js'
import type { Rule } from '../../../../support/segments/rule-grammar.js'
import { SmallLog } from '../../../../support/segments/small-log.js'

const at = (minute: number, second = 0) =>
  new Date(Date.UTC(2026, 10, 20, 9, minute, second)).toISOString()

let driven: DrivenProjections

beforeEach(() => {
  driven = new DrivenProjections()
})
afterEach(() => {
  driven.close()
})

/** Since when ada is in the segment; undefined: she is not. */
async function sinceAfter(log: SmallLog): Promise<string | undefined> {
  for (const fact of log.log) {
    driven.add(fact)
    await driven.settle()
  }
  return (await driven.query('segmentMembers', { key: 's1', limit: 1 }))?.items[0]?.since
}

it('what a timer did is undone by the next one', async () => {
  const lately = (within: string): Rule => ({ event: 'buy', within })
  const log = new SmallLog()
    .created(at(0))
    .defined(at(0), 's1', { all: [lately('2m'), { not: lately('1m') }] })
    .event('buy', at(1))
    .passed(at(2))
  expect(await sinceAfter(log)).toBe(at(2))
  driven.close()
  driven = new DrivenProjections()
  expect(await sinceAfter(log.passed(at(3)))).toBeUndefined()
})

it('what was due before a fact is done before it', async () => {
  const log = new SmallLog()
    .created(at(0))
    .defined(at(0), 's1', { event: 'buy', within: '1m' })
    .event('buy', at(1))
    .event('buy', at(2, 30))
  expect(await sinceAfter(log)).toBe(at(2, 30))
})
