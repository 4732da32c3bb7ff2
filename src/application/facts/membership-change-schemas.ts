import { z } from 'zod'
import { enteringCauses } from '../../domain/segments/segment-facts.js'
import { segmentKey, time } from './value-schemas.js'

export const version = (description: string) => z.int().min(1).meta({ description })

/** The causes in the versions before events could be voided. */
const causesBeforeVoids = ['event', 'properties', 'created', 'hand', 'segment', 'time'] as const

const causeOf = <Kind extends string>(kinds: readonly Kind[], more: string) =>
  z
    .object({
      kind: z.enum(kinds).meta({
        description:
          'The kind of the cause: an event, a change of properties, the creation, a change by hand, a change of ' +
          `another segment that the rule names, ${more}.`,
      }),
      factId: z
        .string()
        .meta({
          description: 'The id of the fact that caused the change. Absent if time caused it.',
        })
        .exactOptional(),
    })
    .meta({ description: 'The cause of the change.' })

const membershipChangeSchema = z.object({
  segment: segmentKey('The key of the segment.'),
  version: version('The version of the segment that was served.'),
  entityId: z.string().meta({
    description: "The id of the entity's creation fact: its `entity_id`.",
  }),
  at: time(
    'The time of the change: UTC, milliseconds. If a fact caused the change, the highest instant of all facts up to ' +
      'that fact. If the passing of time caused it, the instant at which the change was due.',
  ),
  cause: causeOf(causesBeforeVoids, 'or the passing of time'),
})

const enteredSchema = membershipChangeSchema.extend({
  cause: causeOf(enteringCauses, 'the passing of time, or a void of an event'),
})

const leftBeforeVoidsSchema = membershipChangeSchema.extend({
  cause: causeOf(
    [...causesBeforeVoids, 'erased'],
    'the passing of time, or the erasure of the entity',
  ),
})

const leftSchema = membershipChangeSchema.extend({
  cause: causeOf(
    [...enteringCauses, 'erased'],
    'the passing of time, a void of an event, or the erasure of the entity',
  ),
})

/** The versions of `EntityEnteredSegment`. The first is also the first version of `EntityLeftSegment`. */
export const entered = { v1: membershipChangeSchema, v2: enteredSchema }

/** The later versions of `EntityLeftSegment`. */
export const left = { v2: leftBeforeVoidsSchema, v3: leftSchema }
