import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { dependencyOrder, segmentsNamedBy } from '../../../src/domain/segments/named-segments.js'
import type { SegmentDefined, SegmentRetired } from '../../../src/domain/segments/segment-facts.js'
import {
  Timeline,
  type DefinedSegment,
  type PlacedDefinition,
  type TimelineStep,
} from '../../../src/domain/segments/timeline.js'
import { quickOrThorough } from '../../support/thoroughness.js'

const nameOf = (text: string) => text
const key = (number: number) => `s${String(number)}`

function placed(fact: SegmentDefined | SegmentRetired, at: number): PlacedDefinition {
  return { fact, position: at * 10, logTime: at * 1_000 }
}

function defined(segment: number, version: number, rule: SegmentDefined['data']['rule']) {
  const data = {
    segment: key(segment),
    version,
    title: `version ${String(version)}`,
    kind: 'rule',
    ...(rule === undefined ? {} : { rule }),
    evaluator: 1,
    definedAt: '2026-11-20T09:30:00.000Z',
  } as const
  return { id: `${key(segment)}-${String(version)}`, type: 'SegmentDefined', data } as const
}

const propertyRule = (value: number) => ({ property: '/plan', eq: value })

/** Logs in which segments are defined, changed and retired. A segment names only segments with smaller numbers. */
const logs = fc
  .array(
    fc.record({
      segment: fc.nat(5),
      retires: fc.nat(4).map((one) => one === 0),
      value: fc.nat(2),
      names: fc.option(fc.nat(4)),
    }),
    { maxLength: 30 },
  )
  .map((changes) =>
    changes.map(({ segment, retires, value, names }, at): PlacedDefinition => {
      const version = at + 1
      if (retires) {
        const data = { segment: key(segment), version, retiredAt: '2026-11-20T09:30:00.000Z' }
        return placed({ id: `retired-${String(at)}`, type: 'SegmentRetired', data }, at + 1)
      }
      const own = propertyRule(value)
      const rule =
        names === null || names >= segment ? own : { all: [own, { segment: key(names) }] }
      return placed(defined(segment, version, rule), at + 1)
    }),
  )

/** Returns all segments after each definition, as the timeline has them right after it. */
function followed(log: readonly PlacedDefinition[]) {
  const timeline = new Timeline([], nameOf)
  const steps = log.map((definition): TimelineStep => {
    const { since, changes } = timeline.add(definition)
    return { since, changes, segments: timeline.segments }
  })
  return { timeline, steps }
}

/** Returns the related steps, found by comparing all segments of all steps. */
function relatedIn(steps: readonly TimelineStep[], wanted: readonly DefinedSegment[]) {
  const named = (of: string) =>
    steps
      .flatMap(({ segments }) => segments)
      .flatMap(({ key: its, rule }) =>
        its === of && rule !== undefined ? [...segmentsNamedBy(rule)] : [],
      )
  const keys = dependencyOrder(
    wanted.map((segment) => segment.key),
    named,
  )
  return steps.flatMap(({ since, changes, segments }) => {
    const isRelated = (one: { readonly key: string }) => keys.has(one.key)
    const step = { since, changes: changes.filter(isRelated), segments: segments.filter(isRelated) }
    const isRelevant =
      step.changes.length > 0 || step.segments.some(({ through }) => through === since)
    return isRelevant ? [step] : []
  })
}

const numRuns = quickOrThorough({ quick: 60, thorough: 5_000 })

describe('a timeline', () => {
  it('returns all segments at every position', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const { timeline, steps } = followed(log)
        expect(timeline.at(9)).toEqual([])
        for (const { since, segments } of steps) {
          expect(timeline.at(since.position)).toEqual(segments)
          expect(timeline.at(since.position + 9)).toEqual(segments)
          for (const segment of segments) {
            const last = steps.findLast((step) => step.segments.includes(segment))
            expect(timeline.lastOf(segment)).toBe(last?.since.position)
            const next = last && steps[steps.indexOf(last) + 1]
            expect(timeline.replacedAt(segment)).toBe(next?.since.position)
          }
        }
      }),
      { numRuns },
    )
  })

  it('returns the steps that affect a segment', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const { timeline, steps } = followed(log)
        for (const [at, { since, segments }] of steps.entries()) {
          for (const segment of segments) {
            const related = timeline.related([segment], since.position)
            expect(related).toEqual(relatedIn(steps.slice(0, at + 1), [segment]))
          }
        }
      }),
      { numRuns },
    )
  })

  /** Returns the number of steps that are read, with so many versions of another segment. */
  function looked(versions: number, look: (timeline: Timeline, last: number) => void): number {
    const timeline = new Timeline([placed(defined(0, 1, propertyRule(0)), 1)], nameOf)
    for (let version = 1; version <= versions; version += 1) {
      timeline.add(placed(defined(1, version, propertyRule(version % 7)), version + 1))
    }
    let looks = 0
    const steps = new Proxy(timeline.steps, {
      get: (list, name) => {
        if (typeof name === 'string' && /^[0-9]+$/.test(name)) looks += 1
        const value: unknown = Reflect.get(list, name)
        return value
      },
    })
    Object.defineProperty(timeline, 'steps', { value: steps })
    look(timeline, (versions + 1) * 10)
    return looks
  }

  it('reads no version of other segments for a query about one segment', () => {
    const one = looked(5_000, (timeline, last) => {
      const [segment] = timeline.segments
      if (segment === undefined) throw new Error('it is there')
      expect(timeline.related([segment], last)).toHaveLength(1)
      expect(timeline.active(segment.active.id)).toBe(segment)
      expect(timeline.replacedAt(segment)).toBeUndefined()
    })
    expect(one).toBe(1)
  })

  it('reads few steps for a query about a position', () => {
    expect(looked(5_000, (timeline, last) => timeline.at(last / 2))).toBeLessThan(20)
  })

  it('stores one list of keys for all versions that do not change the order', () => {
    const timeline = new Timeline([placed(defined(0, 1, propertyRule(0)), 1)], nameOf)
    for (let version = 2; version < 100; version += 1) {
      timeline.add(placed(defined(0, version, propertyRule(version)), version))
    }
    expect(new Set(timeline.steps.map(({ order }) => order)).size).toBe(1)
    expect(timeline.steps.every((step) => step.defined.length === 1)).toBe(true)
  })
})
