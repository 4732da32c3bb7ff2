import type { DossierError, Webhook, WebhookDefinition } from '../../../client/dossier.js'
import { isDelivered, type DeliveredType } from '../type-words.js'

/** A webhook that is being edited. The page does not store it, because its URL may contain a token. */
export interface WebhookDraft {
  /** The version that is being changed. Undefined for a new webhook. */
  readonly version: number | undefined
  readonly key: string
  readonly title: string
  readonly url: string
  /** The kind of names that select facts. The API accepts event names or segments, but not both. */
  readonly by: 'all' | 'events' | 'segments'
  readonly events: readonly string[]
  readonly segments: readonly string[]
  /** The types of facts. Empty for all types. */
  readonly types: readonly DeliveredType[]
  readonly entity: string
  readonly hasProfile: boolean
  readonly from: From
  readonly cursor: string
}

export type From = 'now' | 'start' | 'cursor'

/** The properties of each part of the form. */
export interface DraftProps {
  readonly draft: WebhookDraft
  readonly change: (changes: Partial<WebhookDraft>) => void
  readonly error: DossierError | undefined
}

/**
 * Returns an empty draft. With `segment`, returns a draft of a webhook that reports the entries and exits of the
 * segment.
 */
export function emptyDraft(segment: string | null): WebhookDraft {
  return {
    version: undefined,
    ...{ key: '', title: '', url: '', events: [], entity: '', hasProfile: false },
    by: segment === null ? 'all' : 'segments',
    segments: segment === null ? [] : [segment],
    types: segment === null ? [] : ['EntityEnteredSegment', 'EntityLeftSegment'],
    ...{ from: 'now', cursor: '' },
  }
}

/**
 * Returns the draft of a change. The user must type the URL again, because the service does not show it. `entity` is
 * the external id in the filter, or empty.
 */
export function draftOf(webhook: Webhook, entity: string): WebhookDraft {
  const { key, version, title, types, events, segments, profile } = webhook
  return {
    ...emptyDraft(null),
    ...{ key, version, title: title ?? '', entity, hasProfile: profile },
    by: events !== null ? 'events' : segments !== null ? 'segments' : 'all',
    events: events ?? [],
    segments: segments ?? [],
    types: types?.filter(isDelivered) ?? [],
  }
}

/** Returns the body of the request. Omits filters that select nothing. */
export function definitionOf(draft: WebhookDraft): WebhookDefinition {
  const { version, url, title, by, events, segments, types, entity, hasProfile } = draft
  return {
    url,
    ...(title !== '' && { title }),
    // Omits the types if the filter has event names, because it then selects only events.
    ...(types.length > 0 && by !== 'events' && { types }),
    ...(by === 'events' && events.length > 0 && { events }),
    ...(by === 'segments' && segments.length > 0 && { segments }),
    ...(entity !== '' && { entity }),
    ...(hasProfile && { profile: true }),
    // An existing webhook continues from its current point.
    ...(version === undefined && { from: placeOf(draft) }),
  }
}

/**
 * Returns whether the draft can be sent. It cannot be sent with an empty list of names, which would select every fact.
 */
export function isComplete({ key, url, by, events, segments }: WebhookDraft): boolean {
  const names = { all: undefined, events, segments }[by]
  return key !== '' && url !== '' && names?.length !== 0
}

/** Returns the starting point of the delivery in the format of the API. */
export function placeOf({ from, cursor }: Pick<WebhookDraft, 'from' | 'cursor'>): string {
  return from === 'cursor' ? cursor : from
}
