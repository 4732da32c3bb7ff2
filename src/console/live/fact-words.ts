import type { FollowedFact, Properties } from '../../client/dossier.js'
import { valueWords, type ValueWord } from '../parts/value-words.js'

/** Types of facts, in words. */
export const factWords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    EntityCreated: 'created',
    EntityPropertiesChanged: 'properties changed',
    EventRecorded: 'event',
    EventVoided: 'event voided',
    SegmentDefined: 'segment defined',
    SegmentRetired: 'segment retired',
    SegmentBuilt: 'segment counted',
    EntityAddedToSegment: 'added by hand',
    EntityRemovedFromSegment: 'removed by hand',
    EntityEnteredSegment: 'entered a segment',
    EntityLeftSegment: 'left a segment',
    EntityErased: 'erased',
    EntityErasureRecorded: 'erasure requested',
    ErasedFactsRemoved: 'facts removed',
    ErasurePlaceChecked: 'copies checked',
    ErasureConfirmed: 'erasure confirmed',
    ErasureSuppressionLifted: 'id released',
    TimePassed: 'time passed',
    WebhookDefined: 'webhook defined',
    WebhookRemoved: 'webhook removed',
    WebhookPaused: 'webhook paused',
    WebhookResumed: 'webhook resumed',
    WebhookReplayed: 'webhook replayed',
    WebhookSecretRotated: 'new secret of a webhook',
    WebhookProgressRecorded: 'webhook progress',
  }),
)

/** A fact as short texts for one line. */
export interface FactLine {
  /** The time in RFC 3339. Undefined when the fact contains no time. */
  readonly at: string | undefined
  /** The external id of the person. Undefined when the fact contains only an `entityId`, or concerns nobody. */
  readonly person: string | undefined
  readonly entityId: string | undefined
  readonly segment: string | undefined
  /** The type of the fact in words, such as `event` or `created`. */
  readonly words: string
  /** The name of the event, if the fact has one. */
  readonly name: string | undefined
  /** Whether the fact voids the event. */
  readonly isVoid: boolean
  readonly values: readonly ValueWord[]
}

const timeNames = [
  'voided_at',
  'recorded_at',
  'created_at',
  'changed_at',
  'defined_at',
  'built_at',
  'retired_at',
  'at',
  'now',
]

export function factLine({ type, data, stream }: FollowedFact): FactLine {
  const members = new Map<string, unknown>(Object.entries(data))
  const text = (name: string) => {
    const value = members.get(name)
    return typeof value === 'string' ? value : undefined
  }
  return {
    at: timeNames.map(text).find((time) => time !== undefined),
    person: stream.startsWith('entity-') ? stream.slice('entity-'.length) : text('external_id'),
    entityId: text('entity_id'),
    segment: text('segment'),
    words: factWords.get(type) ?? type,
    name: text('name'),
    isVoid: type === 'EventVoided',
    values: valueWords(changeIn(members)),
  }
}

/** Returns the properties that a fact sets. The names of removed properties are in an additional property `removed`. */
function changeIn(members: ReadonlyMap<string, unknown>): Properties {
  const set = members.get('properties') ?? members.get('set')
  const unset = members.get('unset')
  const removed = Array.isArray(unset) && unset.length > 0 ? { removed: unset.join(', ') } : {}
  return { ...(isObject(set) ? set : {}), ...removed }
}

function isObject(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
