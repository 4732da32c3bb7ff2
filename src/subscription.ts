/** `dossier/subscription`: reads the facts in EventStoreDB, for services that follow them. */
export { FactSubscription } from './adapters/eventstoredb/log/subscription.js'
export {
  CheckpointBeyondHead,
  CheckpointUnknown,
  HandlerFailed,
  SubscriptionDenied,
  type Position,
} from './adapters/eventstoredb/log/subscription-errors.js'
export type {
  Interruption,
  Lag,
  PassedOver,
  SubscriptionOptions,
} from './adapters/eventstoredb/log/subscription-options.js'
export type { Fact } from './application/facts/fact-table.js'
export { NewerSchemaVersion, UnreadableFact } from './application/facts/stored-fact.js'
export type { EntityCreated, EntityPropertiesChanged } from './domain/entity.js'
export type { EventRecorded } from './domain/event.js'
export type {
  EntityErased,
  EntityErasureRecorded,
  ErasedFactsRemoved,
  ErasureConfirmed,
  ErasurePlaceChecked,
  ErasureSuppressionLifted,
  FactErased,
} from './domain/erasures.js'
export type {
  EntityAddedToSegment,
  EntityEnteredSegment,
  EntityLeftSegment,
  EntityRemovedFromSegment,
  SegmentBuilt,
  SegmentDefined,
  SegmentRetired,
  TimePassed,
} from './domain/segments/segment-facts.js'
export type {
  WebhookDefined,
  WebhookPaused,
  WebhookProgressRecorded,
  WebhookRemoved,
  WebhookReplayed,
  WebhookResumed,
  WebhookSecretRotated,
} from './domain/webhooks/webhook-facts.js'
