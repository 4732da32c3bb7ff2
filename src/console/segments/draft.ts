import type { Segment } from '../../client/dossier.js'
import { templates } from './rule-templates.js'

/** A segment as it is typed. */
export interface Draft {
  readonly key: string
  readonly title: string
  readonly isByHand: boolean
  readonly rule: string
  /** A JSON pointer to the number of each event by whose sum a preview ranks; empty: it counts events. */
  readonly sum: string
  /** The version that it was made of; undefined: the segment is new. */
  readonly base: Segment | undefined
}

const nothing = { key: '', title: '', isByHand: false, rule: '', sum: '' }

export const emptyDraft: Draft = { ...nothing, base: undefined }

export function draftOf(base: Segment): Draft {
  const { key, title, kind, rule } = base
  return { key, title, isByHand: kind === 'hand', rule: ruleText(rule ?? {}), sum: '', base }
}

function ruleText(rule: object): string {
  return JSON.stringify(rule, undefined, 2)
}

/** The same, with the rule of a template; a new segment gets its title too. */
export function like(draft: Draft, key: string): Draft {
  const found = templates.find((one) => one.key === key)
  if (found === undefined) return draft
  const named = draft.base === undefined ? { key: found.key, title: found.title } : {}
  const { rule, sum = '' } = found
  return { ...draft, ...named, isByHand: false, rule: ruleText(rule), sum }
}
