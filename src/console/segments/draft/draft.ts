import type { Rule, Segment, SegmentDefinition } from '../../../client/dossier.js'
import { newEventRow, newPropertyRow } from '../rows/change-rows.js'
import { ruleOf } from '../rows/rule-of.js'
import { rowsOf } from '../rows/rows-of.js'
import type { Row, RuleRows } from '../rows/rows.js'
import { templates } from '../rule-templates.js'
import { typedRule, type TypedRule } from '../json/typed-rule.js'

/** A rule that is being edited, as rows or as JSON. Opening a view converts the rule from the other view. */
export type DraftRule =
  | { readonly view: 'builder'; readonly rows: RuleRows }
  | { readonly view: 'json'; readonly text: string }

/** A segment that is being edited. */
export interface Draft {
  readonly key: string
  readonly title: string
  readonly isByHand: boolean
  readonly rule: DraftRule
  /**
   * The JSON Pointer of the number in each event by whose sum a preview ranks people. Empty: the preview ranks by the
   * number of events.
   */
  readonly sum: string
  /** The version that is being edited. Undefined for a new segment. */
  readonly base: Segment | undefined
}

const noRows: RuleRows = { group: { kind: 'group', match: 'all', rows: [] }, isList: false }

export const emptyDraft: Draft = {
  key: '',
  title: '',
  isByHand: false,
  rule: { view: 'builder', rows: noRows },
  sum: '',
  base: undefined,
}

export function draftOf(base: Segment): Draft {
  const { key, title, kind, rule } = base
  return {
    key,
    title,
    isByHand: kind === 'hand',
    rule: rule === null ? emptyDraft.rule : draftRule(rule),
    sum: '',
    base,
  }
}

/** Returns the rule as rows, or as JSON if rows cannot show it. */
export function draftRule(rule: Rule): DraftRule {
  const shown = rowsOf(rule)
  return 'rows' in shown
    ? { view: 'builder', rows: shown.rows }
    : { view: 'json', text: ruleText(rule) }
}

export function ruleText(rule: unknown): string {
  return JSON.stringify(rule, undefined, 2)
}

/** Returns the rule of the draft, or the fault of a typed text that is not JSON. */
export function ruleIn({ rule }: Draft): TypedRule {
  return rule.view === 'builder' ? { rule: ruleOf(rule.rows) } : typedRule(rule.text)
}

export function isWithoutRule({ rule }: Draft): boolean {
  return rule.view === 'builder' ? rule.rows.group.rows.length === 0 : rule.text.trim() === ''
}

/** Returns the definition to save. Returns undefined while there is no rule. */
export function definitionOf(draft: Draft): SegmentDefinition | undefined {
  const { title, isByHand } = draft
  if (isByHand) return { title, kind: 'hand' }
  const typed = ruleIn(draft)
  return isWithoutRule(draft) || !('rule' in typed)
    ? undefined
    : { title, kind: 'rule', rule: typed.rule }
}

/** Returns whether saving would change the segment. */
export function isChanged(draft: Draft, base: Segment): boolean {
  if (draft.title !== base.title) return true
  if (base.rule === null) return false
  const typed = ruleIn(draft)
  return !('rule' in typed) || JSON.stringify(typed.rule) !== JSON.stringify(base.rule)
}

/** The start of a new rule, from the address. */
export interface Beginning {
  /** The key of a template. */
  readonly like?: string
  readonly event?: string
  /** The JSON Pointer of a property. */
  readonly property?: string
}

export function draftLike({ like, event, property }: Beginning): Draft {
  if (event !== undefined) return withRow(newEventRow(event))
  if (property !== undefined) return withRow(newPropertyRow(property))
  return like === undefined ? emptyDraft : withTemplate(emptyDraft, like)
}

function withRow(row: Row): Draft {
  const group = { ...noRows.group, rows: [row] }
  return { ...emptyDraft, rule: { view: 'builder', rows: { ...noRows, group } } }
}

/** Returns the draft with the rule of a template. A new segment also gets the title and the key of the template. */
export function withTemplate(draft: Draft, key: string): Draft {
  const found = templates.find((one) => one.key === key)
  if (found === undefined) return draft
  const named = draft.base === undefined ? { key: found.key, title: found.title } : {}
  const { rule, sum = '' } = found
  return { ...draft, ...named, isByHand: false, rule: draftRule(rule), sum }
}
