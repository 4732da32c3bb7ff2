import { describe, expect, test } from '@jest/globals'
import { toStored } from '../../../src/application/facts/fact-format.js'
import type { Fact } from '../../../src/application/facts/fact-table.js'
import { entityStream } from '../../../src/domain/entity.js'
import { erasedStream, erasuresStream } from '../../../src/domain/erasures.js'
import { asGolden, goldenText } from '../../support/golden-facts.js'

const at = '2026-11-20T09:30:00.007Z'
const id = '01a1ff14-cee6-75ec-8b91-d7fb3bbfa719'
const other = '01a1ff14-cef4-759c-b22f-c801914d61ac'
const longest = '\ud83e\udd8a'.repeat(127)
const ofErasure = { erasureId: id, at }
const counts = { EntityCreated: 1, EventRecorded: 1_000_000 }

/** A released file stays; a new case gets a new one. */
const cases: Readonly<Record<string, readonly [stream: string, fact: Fact]>> = {
  'entity-erased.v1.minimal': [
    entityStream('ada'),
    { id, type: 'EntityErased', data: { erasureId: id, entityId: other, at } },
  ],
  'entity-erased.v1.with-clock': [
    entityStream('ada'),
    {
      id,
      type: 'EntityErased',
      data: { erasureId: id, entityId: other, at, clock: [{ fact: other, at }] },
    },
  ],
  'fact-erased.v1.minimal': [erasedStream(other), { id, type: 'FactErased', data: { at } }],
  'entity-erasure-recorded.v3.minimal': [
    erasuresStream,
    {
      id,
      type: 'EntityErasureRecorded',
      data: { entityId: other, suppress: false, recipients: [], at },
    },
  ],
  'entity-erasure-recorded.v3.at-the-limits': [
    erasuresStream,
    {
      id,
      type: 'EntityErasureRecorded',
      data: {
        entityId: other,
        suppress: true,
        recipients: Array.from({ length: 70 }, () => longest),
        reference: longest,
        at,
      },
    },
  ],
  'entity-erasure-recorded.v3.with-subject': [
    erasuresStream,
    {
      id,
      type: 'EntityErasureRecorded',
      data: { entityId: other, suppress: true, recipients: [], subject: '0a'.repeat(32), at },
    },
  ],
  'erased-facts-removed.v2.with-places': [
    erasuresStream,
    {
      id,
      type: 'ErasedFactsRemoved',
      data: {
        erasureId: id,
        entityId: other,
        closedAt: { at, position: '9007199254740991' },
        facts: counts,
        keys: 7,
        memberships: 0,
        clock: [{ fact: other, at }],
        positions: ['7', '9007199254740990'],
        at,
      },
    },
  ],
  'erased-facts-removed.v2.minimal': [
    erasuresStream,
    {
      id,
      type: 'ErasedFactsRemoved',
      data: {
        erasureId: id,
        closedAt: { at, position: '9007199254740991' },
        facts: counts,
        keys: 0,
        memberships: 3,
        at,
      },
    },
  ],
  'erasure-place-checked.v1.purged': [
    erasuresStream,
    {
      id,
      type: 'ErasurePlaceChecked',
      data: { ...ofErasure, place: 'facts file', state: 'purged', verified: longest },
    },
  ],
  'erasure-place-checked.v1.waiting': [
    erasuresStream,
    {
      id,
      type: 'ErasurePlaceChecked',
      data: { ...ofErasure, place: 'store', node: 'a:2113', state: 'waiting', for: 'scavenge' },
    },
  ],
  'erasure-confirmed.v1.minimal': [
    erasuresStream,
    { id, type: 'ErasureConfirmed', data: { ...ofErasure, recipient: longest, position: '0' } },
  ],
  'erasure-suppression-lifted.v1.minimal': [
    erasuresStream,
    { id, type: 'ErasureSuppressionLifted', data: ofErasure },
  ],
}

describe('facts of erasures are written exactly as released', () => {
  test.each(Object.entries(cases))('%s', (name, [stream, fact]) => {
    const stored = toStored(fact, { requestId: 'req-1', keyHash: undefined })
    expect(asGolden(stream, stored)).toBe(goldenText(name))
  })
})
