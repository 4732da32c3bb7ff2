import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { toStored } from '../../../src/application/facts/fact-format.js'
import type { Fact } from '../../../src/application/facts/fact-table.js'
import type { FactContext } from '../../../src/application/facts/metadata.js'
import type { JsonObject } from '../../../src/domain/json.js'
import {
  addToSegment,
  reasonViolations,
  removeFromSegment,
} from '../../../src/domain/segments/hand-members.js'
import {
  clockStream,
  membersStream,
  segmentsStream,
} from '../../../src/domain/segments/segment-facts.js'
import { asGolden, goldenText } from '../../support/golden-facts.js'
import { byHand, byRule, definitionsOf, retired } from '../../support/segment-decisions.js'

const at = '2026-11-20T09:30:00.007Z'
const factId = '01a1ff14-cee6-75ec-8b91-d7fb3bbfa719'
const fox = '\ud83e\udd8a'
const longestKey = '0'.padEnd(64, '_-az9')
const longestRequest = 'A-z_0.9'.padEnd(128, 'x')

/** A rule that contains each form of a rule. */
const everyForm: JsonObject = {
  all: [
    { any: [{ everyone: true }, { not: { segment: 'testers' } }] },
    { created: { after: '2026-01-01' } },
    { property: '/plan', is: { in: ['free', null, 1.5, true] }, for: '2w' },
    { property: '/trial/ends', is: { before: { ahead: '3d' } } },
    {
      event: { starts_with: 'order \u2028' },
      where: { '/total': { gte: 0.5, lt: 100 }, '/a~1b/0': { exists: false } },
      within: '90m',
      count: { lte: 100 },
    },
    { event: 'login', after: '2026-01-01T00:00:00+01:00', before: '2026-02-01' },
    { event: 'poll', last: { '/score': { eq: -0 } } },
    { bucket: { salt: fox, below: 12.34 } },
  ],
}

/** A rule with `not` wherever a test may have it. */
const negatedTests: JsonObject = {
  all: [
    { property: '/plan', is: { exists: true, not: { in: ['free', null] } } },
    { property: '/score', is: { not: { gt: 1, lt: 5 } }, for: '2w' },
    {
      event: 'purchase',
      where: { '/category': { not: { eq: 'book' } } },
      last: { '/total': { not: { not: { gte: 0.5 } } } },
    },
  ],
}

type Written = readonly [stream: string, fact: Fact, context?: Partial<FactContext>]

const key = (command: string) => ({
  keyHash: createHash('sha256').update(`${command} move-ada`).digest('hex'),
})
const hand = { factId, externalId: 'ada', segment: 'testers', reason: undefined, now: new Date(at) }
const longestHand = {
  ...hand,
  externalId: fox.repeat(255),
  segment: longestKey,
  reason: fox.repeat(255),
}
const built = { segment: 'buyers', version: 1, resolved: {}, through: factId, members: 0 }

const change = { segment: 'buyers', version: 1, entityId: factId, at }
const longestChange = { ...change, segment: longestKey, version: 1_000_000 }

/** Never change a released file. A new case gets a new file. */
const cases: Readonly<Record<string, () => Written>> = {
  'segment-defined.v1.by-rule': () => written(byRule('buyers', { event: 'purchase' }, { factId })),
  'segment-defined.v1.by-hand': () => written(byHand('testers', { factId })),
  'segment-defined.v1.every-form-of-rule': () =>
    written(byRule('all-of-it', everyForm, { factId }), [byHand('testers')]),
  'segment-defined.v1.negated-tests': () => written(byRule('no-books', negatedTests, { factId })),
  'segment-defined.v1.at-the-limits': () => [
    ...written(byHand(longestKey, { factId, title: fox.repeat(255) })),
    { requestId: longestRequest },
  ],
  'segment-retired.v1.minimal': () => written(retired('testers', { factId }), [byHand('testers')]),
  'entity-added-to-segment.v1.minimal': () => moved(addToSegment(hand)),
  'entity-added-to-segment.v1.with-reason-and-key': () =>
    moved(addToSegment({ ...hand, reason: 'asked\nfor it' }), key('add-to-segment')),
  'entity-added-to-segment.v1.at-the-limits': () =>
    moved(addToSegment(longestHand), { requestId: longestRequest }),
  'entity-removed-from-segment.v1.minimal': () => moved(removeFromSegment(hand)),
  'entity-removed-from-segment.v1.with-reason-and-key': () =>
    moved(removeFromSegment({ ...hand, reason: '' }), key('remove-from-segment')),
  'segment-built.v1.minimal': () => [
    membersStream('buyers'),
    {
      id: factId,
      type: 'SegmentBuilt',
      data: { ...built, digest: '0000000000000000', builtAt: at },
    },
    { causationId: '01a1ff14-cf01-7b36-8a4d-2c9e51b7f0aa' },
  ],
  'segment-built.v1.with-others': () => [
    membersStream(longestKey),
    {
      id: factId,
      type: 'SegmentBuilt',
      data: {
        ...built,
        segment: longestKey,
        version: 7,
        resolved: { 'win-back': 3, '0': 12 },
        members: 1_000_000,
        digest: 'fedcba9876543210',
        builtAt: at,
      },
    },
  ],
  'entity-entered-segment.v1.by-a-fact': () => [
    membersStream('buyers'),
    {
      id: factId,
      type: 'EntityEnteredSegment',
      data: { ...change, cause: { kind: 'event', factId } },
    },
    { causationId: factId },
  ],
  'entity-entered-segment.v1.at-the-limits': () => [
    membersStream(longestKey),
    {
      id: factId,
      type: 'EntityEnteredSegment',
      data: { ...longestChange, cause: { kind: 'properties', factId } },
    },
    { requestId: longestRequest, causationId: factId },
  ],
  'entity-entered-segment.v2.by-a-void': () => [
    membersStream('buyers'),
    {
      id: factId,
      type: 'EntityEnteredSegment',
      data: { ...change, cause: { kind: 'voided', factId } },
    },
    { causationId: factId },
  ],
  'entity-left-segment.v3.by-a-void': () => [
    membersStream('buyers'),
    {
      id: factId,
      type: 'EntityLeftSegment',
      data: { ...change, cause: { kind: 'voided', factId } },
    },
    { causationId: factId },
  ],
  'entity-left-segment.v2.by-time': () => [
    membersStream('buyers'),
    { id: factId, type: 'EntityLeftSegment', data: { ...change, cause: { kind: 'time' } } },
  ],
  'entity-left-segment.v2.by-erasure': () => [
    membersStream('buyers'),
    {
      id: factId,
      type: 'EntityLeftSegment',
      data: { ...change, cause: { kind: 'erased', factId } },
    },
    { causationId: factId },
  ],
  'entity-left-segment.v2.by-a-fact': () => [
    membersStream('buyers'),
    {
      id: factId,
      type: 'EntityLeftSegment',
      data: { ...change, cause: { kind: 'segment', factId } },
    },
    { causationId: factId },
  ],
  'time-passed.v1.minimal': () => [
    clockStream,
    { id: factId, type: 'TimePassed', data: { now: at } },
  ],
}

type Command = Parameters<typeof definitionsOf>[0][number]

/** Returns the facts that a decision writes after the commands `before`. */
function written({ decide }: Command, before: readonly Command[] = []): [string, Fact] {
  const decision = decide(definitionsOf(before))
  if (!('fact' in decision)) throw new Error('not taken')
  return [segmentsStream, decision.fact]
}

function moved(
  { stream, facts: [fact] }: { readonly stream: string; readonly facts: readonly [Fact] },
  context: Partial<FactContext> = {},
): Written {
  return [stream, fact, context]
}

describe('facts of segments are written exactly as released', () => {
  test.each(Object.entries(cases))('%s', (name, write) => {
    const [stream, fact, context] = write()
    const stored = toStored(fact, { requestId: 'req-1', keyHash: undefined, ...context })
    expect(asGolden(stream, stored)).toBe(goldenText(name))
  })
})

test('the longest reason of the cases is allowed', () => {
  expect(reasonViolations(longestHand.reason)).toEqual([])
})
