import fc from 'fast-check'
import { describe, expect, it } from '@jest/globals'
import { furtherRules, templates } from '../../src/console/segments/rule-templates.js'
import { groupPaths, pathsOf, ruleOf } from '../../src/console/segments/rows/rule-of.js'
import { rowsOf } from '../../src/console/segments/rows/rows-of.js'
import type { RuleRows } from '../../src/console/segments/rows/rows.js'
import { parseRule } from '../../src/domain/segments/rule/parse-rule.js'
import { quickOrThorough } from '../support/thoroughness.js'
import { randomRules } from '../support/segments/random-rules.js'

function shown(rule: unknown): RuleRows {
  const found = rowsOf(rule)
  if ('rows' in found) return found.rows
  throw new TypeError(found.whyNot)
}

const testWords = 'eq|in|gt|gte|lt|lte|starts_with|contains|includes|exists'
const twoNots = '"not":{"not":'
const severalTestsInNot = new RegExp(`"not":\\{"(?:${testWords})":(?:\\[[^\\]]*\\]|[^,{}\\[]*),`)

/** Whether a valid rule has one of the two forms that the builder has no rows for. */
function isBeyondRows(rule: unknown): boolean {
  const text = JSON.stringify(rule)
  return text.includes(twoNots) || severalTestsInNot.test(text)
}

describe('the rows of a rule', () => {
  it('make the same rule again, or the rule is declared not showable', () => {
    fc.assert(
      fc.property(randomRules(['s-1', 's-2']), (rule) => {
        expect(parseRule(rule)).toEqual({ rule })
        const found = rowsOf(rule)
        expect('rows' in found).toBe(!isBeyondRows(rule))
        if ('rows' in found) expect(ruleOf(found.rows)).toEqual(rule)
      }),
      { numRuns: quickOrThorough({ quick: 600, thorough: 100_000 }) },
    )
  })

  it('are there for every example', () => {
    for (const rule of [...templates.map((one) => one.rule), ...furtherRules])
      expect(ruleOf(shown(rule))).toEqual(rule)
  })

  it('keep the list around a single rule, and a rule without a list', () => {
    for (const rule of [{ event: 'buy' }, { all: [{ event: 'buy' }] }, { any: [{ event: 'buy' }] }])
      expect(ruleOf(shown(rule))).toEqual(rule)
  })

  it.each<readonly [string, unknown]>([
    ['a “not” directly inside a “not”', { not: { not: { event: 'buy' } } }],
    ['several tests inside one “not”', { property: '/n', is: { not: { gt: 1, lt: 3 } } }],
    ['several tests inside one “not”', { property: '/n', is: { not: { not: { gt: 1 } } } }],
    ['an empty test', { property: '/n', is: {} }],
    ['an empty test', { event: 'buy', where: {} }],
    ['“whithin” where', { event: 'buy', whithin: '30d' }],
    ['“event” where', { all: [], event: 'buy' }],
    ['not a complete rule', { event: 'buy', within: '30 days' }],
    ['not a complete rule', { event: 'buy', count: { gte: '3' } }],
    ['not a complete rule', { property: 'n', is: { eq: 1 } }],
    ['not a complete rule', [{ event: 'buy' }]],
    ['not a complete rule', {}],
  ])('are refused because of %s', (why, rule) => {
    expect(rowsOf(rule)).toEqual({ whyNot: expect.stringContaining(why) })
  })

  it('are refused for a rule that is nested too deep', () => {
    let rule: unknown = { event: 'buy' }
    for (let depth = 0; depth < 5_000; depth += 1) rule = { all: [rule] }
    expect(rowsOf(rule)).toEqual({ whyNot: 'it is nested too deep.' })
  })

  it('have the paths at which the service reports their faults', () => {
    const single = shown({ not: { event: '' } })
    expect(pathsOf(single)).toEqual([''])
    const rule = { not: { any: [{ event: 'buy' }, { all: [{ event: '' }] }] } }
    const rows = shown(rule)
    const [, second = ''] = pathsOf(rows)
    const [, group] = rows.group.rows
    const inner = group?.kind === 'group' ? groupPaths(group) : []
    const parsed = parseRule(rule)
    const paths = 'violations' in parsed ? parsed.violations.map(({ path }) => path.join('/')) : []
    expect(paths).toEqual([`${second}${inner[0] ?? ''}/event`.slice(1)])
  })

  it('keep an unfinished number as a text, which the service refuses', () => {
    const rows = shown({ event: 'buy', count: { gte: 3 } })
    const [row] = rows.group.rows
    if (row?.kind !== 'event') throw new TypeError('the row of an event was expected')
    const count = { word: 'gte', number: '' } as const
    const rule = ruleOf({ ...rows, group: { ...rows.group, rows: [{ ...row, count }] } })
    expect(rule).toEqual({ event: 'buy', count: { gte: '' } })
    expect(parseRule(rule)).toHaveProperty('violations')
  })
})
