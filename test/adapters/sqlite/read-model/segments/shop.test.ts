import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { segmentsStream } from '../../../../../src/domain/segments/segment-facts.js'
import { DrivenProjections } from '../../../../support/segments/driven-projections.js'
import type { LogFact, TimedFact } from '../../../../support/segments/log-facts.js'
import type { Rule } from '../../../../support/segments/rule-grammar.js'
import { shopFacts } from '../../../../support/segments/shop-month.js'
import { factsOf } from '../../../../support/segments/published-facts.js'

const large = { event: 'purchase', where: { '/total': { gt: 30 } } } as const
const rules: Readonly<Record<string, Rule>> = {
  spenders: { ...large, within: '2h' },
  lapsed: {
    all: [{ event: 'purchase', within: '3h' }, { not: { event: 'purchase', within: '1h' } }],
  },
  many: { event: 'purchase', within: '30m', count: { gte: 10 } },
  'lapsed-for-days': {
    all: [{ event: 'purchase' }, { not: { event: 'purchase', within: '3d' } }],
  },
  'british-spenders': {
    all: [{ segment: 'spenders' }, { property: '/country', is: { eq: 'United Kingdom' } }],
  },
}
const factsATime = 250

let driven: DrivenProjections
beforeEach(() => {
  driven = new DrivenProjections()
})
afterEach(() => {
  driven.close()
})

it('whoever takes in the facts of a shop that tell who entered and left has the members', async () => {
  const orders = await shopFacts()
  const definitions = definedAt(new Date(Date.parse('2010-01-01')).toISOString())
  const facts = [...definitions, ...orders.map((fact) => later(fact, definitions.length))]
  for (const [index, fact] of facts.entries()) {
    driven.add(fact)
    if (index % factsATime !== 0 && index !== facts.length - 1) continue
    await driven.settle()
    await compare(factsOf(driven.log))
  }
  // Much happened, also by time alone.
  const told = factsOf(driven.log).flatMap((fact) =>
    fact.type === 'EntityLeftSegment' ? [fact.data.cause.kind] : [],
  )
  expect(told.length).toBeGreaterThan(50)
  expect(new Set(told)).toEqual(new Set(['time', 'event', 'segment']))
  await driven.rebuild()
  await compare(factsOf(driven.log))
})

function definedAt(at: string): readonly LogFact[] {
  return Object.entries(rules).map(([segment, rule], index) => {
    const base = { segment, version: 1, title: segment, kind: 'rule', evaluator: 1 } as const
    return {
      id: `definition-${String(index)}`,
      type: 'SegmentDefined',
      data: { ...base, rule, definedAt: at },
      stream: segmentsStream,
      position: index + 1,
    }
  })
}

function later(fact: LogFact, places: number): LogFact {
  return { ...fact, position: fact.position + places }
}

async function compare(log: readonly TimedFact[]): Promise<void> {
  const folded = foldedMembers(log)
  for (const key of Object.keys(rules)) {
    const page = await driven.query('segmentMembers', { key, limit: 10_000 })
    const ids = page?.items.map(({ entityId }) => entityId) ?? []
    expect([key, ids.toSorted()]).toEqual([key, [...(folded.get(key) ?? [])].toSorted()])
  }
}

/** As a follower folds them, who began with a segment that nobody was in. */
function foldedMembers(log: readonly TimedFact[]): ReadonlyMap<string, ReadonlySet<string>> {
  const members = new Map(Object.keys(rules).map((key) => [key, new Set<string>()]))
  for (const { type, data } of log) {
    if (type === 'EntityEnteredSegment') {
      expect(members.get(data.segment)?.has(data.entityId)).toBe(false)
      members.get(data.segment)?.add(data.entityId)
    }
    if (type === 'EntityLeftSegment') {
      expect(members.get(data.segment)?.delete(data.entityId)).toBe(true)
    }
  }
  return members
}
