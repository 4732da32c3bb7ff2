import { z } from 'zod'
import { aboutNoEntity, derived } from '../../domain/facts.js'
import {
  enteringCauses,
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
import { anyObject, name, segmentKey, time } from './value-schemas.js'

const definedId = '01a1ff14-cf01-7b36-8a4d-2c9e51b7f0aa'

const version = (description: string) => z.int().min(1).meta({ description })

const handSchema = z.object({
  externalId: name('The externalId of the entity.'),
  segment: segmentKey('The key of the segment.'),
  reason: z
    .string()
    .meta({ description: 'Why, in the words of the caller.', maxLength: 255 })
    .exactOptional(),
  at: time('When: UTC, milliseconds.'),
})

const causeOf = <Kind extends string>(kinds: readonly Kind[], more: string) =>
  z
    .object({
      kind: z.enum(kinds).meta({
        description:
          'What did it: an event, a change of properties, the creation, a fact by hand, another ' +
          `segment that the rule names, ${more}.`,
      }),
      factId: z
        .string()
        .meta({ description: 'The id of the fact that did it. Absent where time did it.' })
        .exactOptional(),
    })
    .meta({ description: 'What made it so.' })

const membershipChangeSchema = z.object({
  segment: segmentKey('The key of the segment.'),
  version: version('The version that was served.'),
  entityId: z.string().meta({
    description: "The id of the entity's creation fact: its `entity_id`.",
  }),
  at: time(
    'When: the highest instant that a fact up to the one that did it told; where time did it, the ' +
      'instant that was due. UTC, milliseconds.',
  ),
  cause: causeOf(enteringCauses, 'or time'),
})

const leftSchema = membershipChangeSchema.extend({
  cause: causeOf([...enteringCauses, 'erased'], 'time, or that the entity was erased'),
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
      version: version('Of one key the versions count 1, 2, 3, …, also over a retirement.'),
      title: name('What the segment is called, for people.'),
      kind: z.enum(['rule', 'hand']).meta({
        description: 'rule: who is in it follows from the rule. hand: from facts that say so.',
      }),
      rule: anyObject(
        'Of a segment by rule alone: the rule, as it was sent. A rule object says what must hold of an ' +
          'entity (all, any, not, everyone, segment, created, property, event, bucket); its rule ' +
          'objects inside are of the same form.',
      ).exactOptional(),
      evaluator: z
        .int()
        .min(1)
        .meta({
          description:
            'The number of the meaning that the rule has. A reader that evaluates rules itself and ' +
            'does not know it must not guess.',
        }),
      definedAt: time('When it was defined: UTC, milliseconds.'),
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
    summary: 'A segment is no more, and has no members. Its key may be defined again.',
    means: ({ data }) => aboutNoEntity(data.retiredAt),
    schema: z.object({
      segment: segmentKey('The key of the segment.'),
      version: version('The version that it had.'),
      retiredAt: time('When it was retired: UTC, milliseconds.'),
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
    summary: 'An entity was put into a segment by hand. Of no effect where it is no such segment.',
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
      'An entity was taken out of a segment by hand. Of no effect where it is no such segment.',
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
      'A version of a segment was evaluated for all entities, and is served from here on. Take the ' +
      'list of its members anew, then follow.',
    means: () => derived,
    schema: z.object({
      segment: segmentKey('The key of the segment.'),
      version: version('The version that is served from here on.'),
      resolved: z.record(z.string(), z.int().min(1)).meta({
        description: 'The versions of all segments that it depends on, by their keys.',
        propertyNames: { type: 'string', pattern: segmentKeyFormat.source },
      }),
      through: z.string().meta({
        description: 'The id of the last fact that was evaluated.',
      }),
      members: z.int().min(0).meta({ description: 'How many members it had at that fact.' }),
      digest: z.string().meta({
        description:
          'Of the members at that fact: the sum, modulo 2 to the 64th, of the first 8 bytes, ' +
          'big-endian, of SHA-256 of the entity_id of each.',
        pattern: '^[0-9a-f]{16}$',
      }),
      builtAt: time('The highest instant that a fact up to there told: UTC, milliseconds.'),
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
    schema: membershipChangeSchema,
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
    schema: leftSchema,
    older: [olderVersion(membershipChangeSchema)],
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
    summary: 'It is later than any fact before this one says.',
    means: ({ data }) => aboutNoEntity(data.now),
    schema: z.object({ now: time('The time: UTC, milliseconds.') }),
    example: {
      id: '01a1ff14-cf22-7d9e-b5c8-3e80a4617f9b',
      type: 'TimePassed',
      data: { now: '2026-11-20T09:30:00.000Z' },
    },
  }),
} as const
