import type { Segment } from '../../client/dossier.js'
import { templates } from './rule-templates.js'

/** A segment as it is typed. */
export interface Draft {
  readonly key: string
  readonly title: string
  readonly isByHand: boolean
  readonly rule: string
  /** The version that it was made of; undefined: the segment is new. */
  readonly base: Segment | undefined
}

export const emptyDraft: Draft = { key: '', title: '', isByHand: false, rule: '', base: undefined }

export function draftOf(base: Segment): Draft {
  const { key, title, kind, rule } = base
  return { key, title, isByHand: kind === 'hand', rule: ruleText(rule ?? {}), base }
}

function ruleText(rule: object): string {
  return JSON.stringify(rule, undefined, 2)
}

/** The same, with the rule of a template; a new segment gets its title too. */
export function like(draft: Draft, key: string): Draft {
  const found = templates.find((one) => one.key === key)
  if (found === undefined) return draft
  const named = draft.base === undefined ? { key: found.key, title: found.title } : {}
  return { ...draft, ...named, isByHand: false, rule: ruleText(found.rule) }
}
