import type { WebhookDefinition } from '../../client/dossier.js'

export type DeliveredType = NonNullable<WebhookDefinition['types']>[number]

/** The types of facts that a webhook can send, in words. */
export const typeWords: Readonly<Record<DeliveredType, string>> = {
  EntityEnteredSegment: 'entered a segment',
  EntityLeftSegment: 'left a segment',
  EventRecorded: 'event recorded',
  EventVoided: 'event voided',
  EntityCreated: 'person created',
  EntityPropertiesChanged: 'properties changed',
  EntityAddedToSegment: 'added by hand',
  EntityRemovedFromSegment: 'removed by hand',
  SegmentDefined: 'segment defined',
  SegmentBuilt: 'segment counted',
  SegmentRetired: 'segment retired',
  EntityErased: 'person erased',
}

const words: ReadonlyMap<string, string> = new Map(Object.entries(typeWords))

export function isDelivered(type: string): type is DeliveredType {
  return words.has(type)
}

export function wordsOfType(type: string): string {
  return words.get(type) ?? type
}
