import type { FactOf } from '../facts.js'

/** The stream with all definitions of webhooks. */
export const webhooksStream = 'webhooks'

/**
 * The stream in which the sending process records the progress of all webhooks. Each fact replaces the fact
 * before it.
 */
export const webhookProgressStream = 'webhook-progress'

export const webhookKeyFormat = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** The prefix of a webhook's name in the list of an erasure's recipients. */
export const recipientPrefix = 'webhook:'

/** Returns the name under which a webhook is a recipient of erasures. */
export function recipientOf(webhook: string): string {
  return `${recipientPrefix}${webhook}`
}

/** The types of facts that a webhook can subscribe to. */
export const deliveredTypes = [
  'EntityCreated',
  'EntityPropertiesChanged',
  'EventRecorded',
  'EventVoided',
  'EntityAddedToSegment',
  'EntityRemovedFromSegment',
  'EntityEnteredSegment',
  'EntityLeftSegment',
  'SegmentDefined',
  'SegmentBuilt',
  'SegmentRetired',
  'EntityErased',
] as const

export type DeliveredType = (typeof deliveredTypes)[number]

/** A position in the fact log after which delivery begins. */
export interface DeliveryStart {
  /** The position of a fact, as decimal text. 0 is before all facts. */
  readonly position: string
  /** The id of the fact, or the first characters of that id. Empty when the fact at the position is not checked. */
  readonly fact: string
}

/** A webhook was defined, or its definition changed. */
export interface WebhookDefined extends FactOf<'WebhookDefined'> {
  readonly data: {
    readonly webhook: string
    /** The version of the definition: 1, 2, 3, … The numbers continue after a removal. */
    readonly version: number
    readonly title?: string
    /** The origin of the URL. The rest of the URL may be secret. */
    readonly origin: string
    /** The URL, encrypted under the master key. */
    readonly url: string
    readonly types?: readonly DeliveredType[]
    readonly events?: readonly string[]
    readonly segments?: readonly string[]
    readonly entityId?: string
    readonly profile: boolean
    /** The version of the signing secret. */
    readonly secretVersion: number
    /** The fingerprint of the master key from which the secret is derived. */
    readonly master: string
    /** The position after which delivery begins. Present when the webhook is new. */
    readonly from?: DeliveryStart
    readonly definedAt: string
  }
}

export interface WebhookRemoved extends FactOf<'WebhookRemoved'> {
  readonly data: { readonly webhook: string; readonly version: number; readonly at: string }
}

/** The origin of a pause: a request, the receiver with status 410, or the service. */
export const pausedBy = ['request', 'receiver', 'service'] as const
export const pauseReasons = ['requested', 'gone', 'failing', 'position_unknown'] as const

export interface WebhookPaused extends FactOf<'WebhookPaused'> {
  readonly data: {
    readonly webhook: string
    readonly by: (typeof pausedBy)[number]
    readonly reason: (typeof pauseReasons)[number]
    readonly at: string
  }
}

export interface WebhookResumed extends FactOf<'WebhookResumed'> {
  readonly data: { readonly webhook: string; readonly at: string }
}

/** Delivery of the webhook continues from another position. */
export interface WebhookReplayed extends FactOf<'WebhookReplayed'> {
  readonly data: { readonly webhook: string; readonly from: DeliveryStart; readonly at: string }
}

/** A webhook got a new signing secret. For 24 hours, the former secret signs as well. */
export interface WebhookSecretRotated extends FactOf<'WebhookSecretRotated'> {
  readonly data: {
    readonly webhook: string
    readonly secretVersion: number
    readonly at: string
  }
}

export type WebhookFact =
  | WebhookDefined
  | WebhookRemoved
  | WebhookPaused
  | WebhookResumed
  | WebhookReplayed
  | WebhookSecretRotated

/** The progress of one webhook. */
export interface RecordedProgress {
  readonly webhook: string
  /** The id of the fact that set the starting position of this delivery. */
  readonly start: string
  /** The position up to which all facts are delivered, and the id of the fact at this position. */
  readonly position: string
  readonly fact: string
  /** When the receiver began to fail, and the last failure. Absent while the receiver does not fail. */
  readonly failing?: Failing
  /** The last delivery. Absent before the first delivery. */
  readonly delivered?: { readonly at: string; readonly status: number }
}

export interface Failing {
  readonly since: string
  /** The status of the last reply. Absent when there was no reply. */
  readonly status?: number
  /** The error, in a few words that never contain a URL or a body. */
  readonly error: string
}

/** The sending process recorded the progress of all webhooks. */
export interface WebhookProgressRecorded extends FactOf<'WebhookProgressRecorded'> {
  readonly data: {
    /** A random id of the sending process. */
    readonly sender: string
    /** `released` means that this process has stopped sending, so another process may send at once. */
    readonly state: 'sending' | 'released'
    readonly webhooks: readonly RecordedProgress[]
    readonly at: string
  }
}
