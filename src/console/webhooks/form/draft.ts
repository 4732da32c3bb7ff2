import type { DossierError, Webhook, WebhookDefinition } from '../../../client/dossier.js'
import { isDelivered, type DeliveredType } from '../type-words.js'

/** A webhook as it is typed. It lives only while the form is shown: its URL may contain a token. */
export interface WebhookDraft {
  /** The version that is changed. Undefined: the webhook is new. */
  readonly version: number | undefined
  readonly key: string
  readonly title: string
  readonly url: string
  /** The kind of names that select facts. The API takes events or segments, not both. */
  readonly by: 'all' | 'events' | 'segments'
  readonly events: readonly string[]
  readonly segments: readonly string[]
  /** Empty: all types. */
  readonly types: readonly DeliveredType[]
  readonly entity: string
  readonly hasProfile: boolean
  readonly from: From
  readonly cursor: string
}

export type From = 'now' | 'start' | 'cursor'

/** What each part of the form gets. */
export interface DraftProps {
  readonly draft: WebhookDraft
  readonly change: (changes: Partial<WebhookDraft>) => void
  readonly error: DossierError | undefined
}

/** An empty draft, or one that tells who enters and leaves a segment. */
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

/** The draft of a change. The service shows no URL, so it is typed again. `entity`: the person of the filter, or ''. */
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

/** The body of the request. Filters that select nothing are left out. */
export function definitionOf(draft: WebhookDraft): WebhookDefinition {
  const { version, url, title, by, events, segments, types, entity, hasProfile } = draft
  return {
    url,
    ...(title !== '' && { title }),
    // Names of events select events alone.
    ...(types.length > 0 && by !== 'events' && { types }),
    ...(by === 'events' && events.length > 0 && { events }),
    ...(by === 'segments' && segments.length > 0 && { segments }),
    ...(entity !== '' && { entity }),
    ...(hasProfile && { profile: true }),
    // A webhook that exists goes on where it is.
    ...(version === undefined && { from: placeOf(draft) }),
  }
}

/** Whether the draft can be sent. A list of names that is empty would select every fact. */
export function isComplete({ key, url, by, events, segments }: WebhookDraft): boolean {
  const names = { all: undefined, events, segments }[by]
  return key !== '' && url !== '' && names?.length !== 0
}

/** Where delivery begins, as the API takes it. */
export function placeOf({ from, cursor }: Pick<WebhookDraft, 'from' | 'cursor'>): string {
  return from === 'cursor' ? cursor : from
}
