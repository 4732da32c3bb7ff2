import type { FollowedFact } from 'dossier/client'

/** The types of facts that are derived from other facts. They do not move log time. */
const derived: ReadonlySet<string> = new Set([
  'SegmentBuilt',
  'EntityEnteredSegment',
  'EntityLeftSegment',
])

/**
 * The members with the time of recording. Each fact has one of them. An `EventVoided` also repeats the `recorded_at` of
 * its event.
 */
const recordingTimes = [
  'voided_at',
  'created_at',
  'changed_at',
  'recorded_at',
  'at',
  'defined_at',
  'retired_at',
  'now',
]

/** Returns the time at which a fact was recorded. Returns an empty text for a derived fact. */
export function recordedAtOf({ type, data }: FollowedFact): string {
  if (derived.has(type)) return ''
  const times: Readonly<Record<string, unknown>> = { ...data }
  const found = recordingTimes.map((name) => times[name]).find((time) => typeof time === 'string')
  return typeof found === 'string' ? found : ''
}

/** Replaces U+0000, which PostgreSQL's `text` cannot contain. */
export function withoutNull(text: string): string {
  return text.replaceAll('\0', '\uFFFD')
}

/**
 * Serialises a value without U+0000. JSON escapes U+0000, and the pattern must not match a backslash that is itself
 * escaped.
 */
export function json(value: object): string {
  return JSON.stringify(value).replaceAll(/\\\\|\\u0000/g, (escape) =>
    escape === '\\u0000' ? '\uFFFD' : escape,
  )
}
