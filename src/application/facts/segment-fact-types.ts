import { z } from 'zod'
import { aboutNoEntity, derived } from '../../domain/facts.js'
import {
  meaningOfHandFact,
  type EntityAddedToSegment,
  type EntityEnteredSegment,
  type EntityLeftSegment,
  type EntityRemovedFromSegment,
  type SegmentBuilt,
  type SegmentDefined,
  type SegmentRetired,
  type TimePassed,
  segmentKeyFormat,
} from '../../domain/segments/segment-facts.js'
import { factType, olderVersion } from './fact-type.js'
import { entered, left, version } from './membership-change-schemas.js'
import { anyObject, name, segmentKey, time } from './value-schemas.js'

const definedId = '01a1ff14-cf01-7b36-8a4d-2c9e51b7f0aa'

const handSchema = z.object({
  externalId: name('The externalId of the entity.'),
  segment: segmentKey('The key of the segment.'),
  reason: z
    .string()
    .meta({ description: 'The reason, in the words of the caller.', maxLength: 255 })
    .exactOptional(),
  at: time('The time of the change: UTC, milliseconds.'),
})

export const segmentFacts = {
  SegmentDefined: factType<SegmentDefined>()({
    type: 'SegmentDefined',
    channel: 'segments',
    externalIds: [],
    summary: 'A segment was defined, or its definition was replaced by another version.',
    means: ({ data }) => aboutNoEntity(data.definedAt),
    schema: z.object({
      segment: segmentKey('The key of the segment.'),
      version: version('The version of the key: 1, 2, 3, …, also after a retirement.'),
      title: name('The title of the segment, for people.'),
      kind: z.enum(['rule', 'hand']).meta({
        description: 'rule: the rule decides on members. hand: facts add and remove members.',
      }),
      rule: anyObject(
        'The rule, as the caller sent it. Present for the kind rule. A rule object is a condition on an entity (all, ' +
          'any, not, everyone, segment, created, property, event, bucket), and contains rule objects of the same form.',
      ).exactOptional(),
      evaluator: z.int().min(1).meta({
        description:
          'The version of the meaning of rules. A reader that evaluates rules must stop at an unknown version.',
      }),
      definedAt: time('The time of the definition: UTC, milliseconds.'),
    }),
    example: {
      id: definedId,
      type: 'SegmentDefined',
      data: {
        segment: 'win-back',
        version: 1,
        title: 'Bought this quarter, not this month',
        kind: 'rule',
        rule: {
          all: [
            { event: 'purchase', within: '90d' },
            { not: { event: 'purchase', within: '30d' } },
          ],
        },
        evaluator: 1,
        definedAt: '2026-11-20T09:30:00.000Z',
      },
    },
  }),
  SegmentRetired: factType<SegmentRetired>()({
    type: 'SegmentRetired',
    channel: 'segments',
    externalIds: [],
    summary:
      'A segment was retired, and has no members from here on. Its key may be defined again.',
    means: ({ data }) => aboutNoEntity(data.retiredAt),
    schema: z.object({
      segment: segmentKey('The key of the segment.'),
      version: version('The last version of the segment.'),
      retiredAt: time('The time of the retirement: UTC, milliseconds.'),
    }),
    example: {
      id: '01a1ff14-cf0a-7e51-b6c2-90d3a8e4f517',
      type: 'SegmentRetired',
      data: { segment: 'win-back', version: 1, retiredAt: '2026-11-20T09:30:00.000Z' },
    },
  }),
  EntityAddedToSegment: factType<EntityAddedToSegment>()({
    type: 'EntityAddedToSegment',
    channel: 'entity',
    externalIds: ['externalId'],
    summary:
      'An entity was added to a segment by hand. Has an effect on segments of the kind hand only.',
    means: meaningOfHandFact,
    schema: handSchema,
    example: {
      id: '01a1ff14-cf0f-7f0c-9d1b-6a7be0c21d34',
      type: 'EntityAddedToSegment',
      data: {
        externalId: 'ada',
        segment: 'testers',
        reason: 'asked for it',
        at: '2026-11-20T09:30:00.000Z',
      },
    },
  }),
  EntityRemovedFromSegment: factType<EntityRemovedFromSegment>()({
    type: 'EntityRemovedFromSegment',
    channel: 'entity',
    externalIds: ['externalId'],
    summary:
      'An entity was removed from a segment by hand. Has an effect on segments of the kind hand only.',
    means: meaningOfHandFact,
    schema: handSchema,
    example: {
      id: '01a1ff14-cf14-7a88-a0f5-c4d2b39e6e72',
      type: 'EntityRemovedFromSegment',
      data: { externalId: 'ada', segment: 'testers', at: '2026-11-20T09:30:00.000Z' },
    },
  }),
  SegmentBuilt: factType<SegmentBuilt>()({
    type: 'SegmentBuilt',
    channel: 'members',
    externalIds: [],
    summary:
      'A version of a segment was evaluated for all entities, and is served from here on. A reader fetches the list of ' +
      'members again, and then applies the following changes.',
    means: () => derived,
    schema: z.object({
      segment: segmentKey('The key of the segment.'),
      version: version('The version that is served from here on.'),
      resolved: z.record(z.string(), z.int().min(1)).meta({
        description: 'The versions of all segments that the rule depends on, by their keys.',
        propertyNames: { type: 'string', pattern: segmentKeyFormat.source },
      }),
      through: z.string().meta({
        description: 'The id of the last fact that was evaluated.',
      }),
      members: z.int().min(0).meta({ description: 'The number of members at that fact.' }),
      digest: z.string().meta({
        description:
          'The sum, modulo 2 to the 64th, of the first 8 bytes, big-endian, of the SHA-256 of the entity_id of each member.',
        pattern: '^[0-9a-f]{16}$',
      }),
      builtAt: time('The highest instant of all facts up to that fact: UTC, milliseconds.'),
    }),
    example: {
      id: '01a1ff14-cf1d-7c43-8e6a-17f9d05b8c2e',
      type: 'SegmentBuilt',
      data: {
        segment: 'win-back',
        version: 1,
        resolved: {},
        through: '01a1ff14-cef4-759c-b22f-c801914d61ac',
        members: 0,
        digest: '0000000000000000',
        builtAt: '2026-11-20T09:30:00.000Z',
      },
    },
  }),
  EntityEnteredSegment: factType<EntityEnteredSegment>()({
    type: 'EntityEnteredSegment',
    channel: 'members',
    externalIds: [],
    summary: 'An entity is a member of the segment from here on.',
    means: () => derived,
    schema: entered.v2,
    older: [olderVersion(entered.v1)],
    newCause: 'voided',
    example: {
      id: '01a1ff14-cf1f-7a34-b1c0-52d6e9f7083b',
      type: 'EntityEnteredSegment',
      data: {
        segment: 'win-back',
        version: 1,
        entityId: '01a1ff14-cee6-75ec-8b91-d7fb3bbfa719',
        at: '2026-11-20T09:30:00.000Z',
        cause: { kind: 'event', factId: '01a1ff14-cef4-759c-b22f-c801914d61ac' },
      },
    },
  }),
  EntityLeftSegment: factType<EntityLeftSegment>()({
    type: 'EntityLeftSegment',
    channel: 'members',
    externalIds: [],
    summary: 'An entity is no longer a member of the segment.',
    means: () => derived,
    schema: left.v3,
    older: [olderVersion(entered.v1), olderVersion(left.v2)],
    newCause: 'voided',
    example: {
      id: '01a1ff14-cf20-7e96-8d55-3b90c4a1f6e8',
      type: 'EntityLeftSegment',
      data: {
        segment: 'win-back',
        version: 1,
        entityId: '01a1ff14-cee6-75ec-8b91-d7fb3bbfa719',
        at: '2026-12-20T09:30:00.000Z',
        cause: { kind: 'time' },
      },
    },
  }),
  TimePassed: factType<TimePassed>()({
    type: 'TimePassed',
    channel: 'clock',
    externalIds: [],
    summary: 'Time passed: the time of this fact is later than the instants of all earlier facts.',
    means: ({ data }) => aboutNoEntity(data.now),
    schema: z.object({ now: time('The time: UTC, milliseconds.') }),
    example: {
      id: '01a1ff14-cf22-7d9e-b5c8-3e80a4617f9b',
      type: 'TimePassed',
      data: { now: '2026-11-20T09:30:00.000Z' },
    },
  }),
} as const
