import { canonicalText } from '../json.js'
import { compileRule } from './rule/compiled-rule.js'
import type { NameCondition } from './rule/matcher.js'
import type { ActiveSegment, Change } from './membership/membership.js'
import { parseRule } from './rule/parse-rule.js'
import { dependencyOrder, segmentsNamedBy } from './named-segments.js'
import type { Rule } from './rule/rule.js'
import {
  evaluatorVersion,
  type SegmentDefined,
  type SegmentKind,
  type SegmentRetired,
} from './segment-facts.js'

export interface PlacedDefinition {
  readonly fact: SegmentDefined | SegmentRetired
  readonly position: number
  /** Log time there, in milliseconds since 1970. */
  readonly logTime: number
}

/** The fact from which on something holds. */
export interface Since {
  readonly position: number
  readonly factId: string
  /** Log time there, in milliseconds since 1970. */
  readonly logTime: number
}

export interface DefinedSegment {
  readonly key: string
  readonly version: number
  readonly title: string
  readonly kind: SegmentKind
  /** Undefined: members are put in by hand. */
  readonly rule: Rule | undefined
  readonly definedAt: string
  /** Its rule has a meaning that this program does not know: it is not evaluated. */
  readonly isForeign: boolean
  /** The versions of all segments that it depends on, by key. */
  readonly resolved: Readonly<Record<string, number>>
  /** The definition that made it what it is: its own, or that of a segment that it depends on. */
  readonly through: Since
  /** What is evaluated: the same as long as neither its rule nor what it depends on changes. */
  readonly active: ActiveSegment
  /** The position of the definition from which on `active` is the one. */
  readonly activeFrom: number
}

export interface TimelineStep {
  readonly since: Since
  /** A segment comes after all that it depends on. */
  readonly changes: readonly (Change & { readonly key: string })[]
  /** All segments after it, in the order in which they are evaluated. */
  readonly segments: readonly DefinedSegment[]
}

const atNothing: readonly DefinedSegment[] = []

/**
 * The definitions of all segments in their order, and what is evaluated after each: a fold of the stream
 * `segments`. Ids of segments are the same for the same definitions.
 */
export class Timeline {
  readonly steps: TimelineStep[] = []

  constructor(
    definitions: Iterable<PlacedDefinition>,
    private readonly nameOf: NameCondition,
  ) {
    for (const definition of definitions) this.add(definition)
  }

  get segments(): readonly DefinedSegment[] {
    return this.steps.at(-1)?.segments ?? atNothing
  }

  at(position: number): readonly DefinedSegment[] {
    return this.steps.findLast(({ since }) => since.position <= position)?.segments ?? atNothing
  }

  add({ fact, position, logTime }: PlacedDefinition): TimelineStep {
    const since = { position, factId: fact.id, logTime }
    const before = new Map(this.segments.map((segment) => [segment.key, segment]))
    const drafts = new Map<string, Draft>(before)
    if (fact.type === 'SegmentRetired') drafts.delete(fact.data.segment)
    else drafts.set(fact.data.segment, draftOf(fact))
    const segments = this.resolve(drafts, before, { since, changed: fact.data.segment })
    const changes = segments.flatMap(({ key, active }) => {
      const from = before.get(key)?.active.id
      return from === active.id ? [] : [{ key, from, to: active }]
    })
    const retired = drafts.has(fact.data.segment) ? undefined : before.get(fact.data.segment)
    const gone = retired && { key: retired.key, from: retired.active.id, to: undefined }
    const step = { since, changes: gone === undefined ? changes : [...changes, gone], segments }
    this.steps.push(step)
    return step
  }

  /** Each after all that it depends on. */
  private resolve(
    drafts: ReadonlyMap<string, Draft>,
    before: ReadonlyMap<string, DefinedSegment>,
    step: Step,
  ): readonly DefinedSegment[] {
    const done = new Map<string, DefinedSegment>()
    for (const key of dependencyOrder(drafts.keys(), (one) => namedBy(drafts.get(one)))) {
      const draft = drafts.get(key)
      if (draft === undefined) continue
      const place = { ...step, done, ordinal: done.size, before: before.get(key) }
      done.set(key, this.define(draft, place))
    }
    return [...done.values()]
  }

  private define(draft: Draft, { since, changed, done, ordinal, before }: Place): DefinedSegment {
    const named = namedBy(draft).flatMap((key) => done.get(key) ?? [])
    const isAnew = draft.key === changed || named.some(({ through }) => through === since)
    if (!isAnew && before !== undefined) return before
    const isForeign = draft.isForeign || named.some((other) => other.isForeign)
    const ids = new Map(named.map(({ key, active }) => [key, active.id]))
    const goesOn = before !== undefined && isSameMeaning(before, draft, ids)
    const { active, activeFrom } = goesOn ? before : this.begin(draft, ids, since, ordinal)
    const resolved = versionsOf(named)
    return { ...draft, isForeign, resolved, through: since, active, activeFrom }
  }

  private begin(
    { rule }: Draft,
    ids: ReadonlyMap<string, string>,
    { position }: Since,
    ordinal: number,
  ): Pick<DefinedSegment, 'active' | 'activeFrom'> {
    const { nameOf } = this
    const compiled = rule && compileRule(rule, { nameOf, segmentId: (key) => ids.get(key) })
    const id = `${position.toString(36)}.${ordinal.toString(36)}`
    return { active: { id, rule: compiled }, activeFrom: position }
  }
}

type Draft = Omit<DefinedSegment, 'resolved' | 'through' | 'active' | 'activeFrom'>

interface Step {
  readonly since: Since
  readonly changed: string
}

interface Place extends Step {
  readonly done: ReadonlyMap<string, DefinedSegment>
  readonly ordinal: number
  readonly before: DefinedSegment | undefined
}

function namedBy(draft: Draft | undefined): readonly string[] {
  return draft?.rule === undefined ? [] : [...segmentsNamedBy(draft.rule)]
}

/** Theirs, and those of all that they depend on. */
function versionsOf(named: readonly DefinedSegment[]): Readonly<Record<string, number>> {
  const versions = new Map<string, number>()
  for (const { key, version, resolved } of named) {
    for (const [further, its] of Object.entries(resolved)) versions.set(further, its)
    versions.set(key, version)
  }
  return Object.fromEntries(versions)
}

/** The rule of a stored fact was checked when it was stored, maybe by a later program with more kinds of rules. */
function draftOf({ data }: SegmentDefined): Draft {
  const { segment: key, version, title, kind, definedAt } = data
  const parsed = data.rule === undefined ? undefined : parseRule(data.rule)
  const rule = parsed !== undefined && 'rule' in parsed ? parsed.rule : undefined
  const isForeign = data.evaluator !== evaluatorVersion || (kind === 'rule' && rule === undefined)
  return { key, version, title, kind, rule, definedAt, isForeign }
}

function isSameMeaning(
  before: DefinedSegment,
  { kind, rule }: Draft,
  ids: ReadonlyMap<string, string>,
): boolean {
  if (before.kind !== kind) return false
  if (rule === undefined || before.rule === undefined) return rule === before.rule
  const named = [...(before.active.rule?.segments ?? [])]
  const isSameNames =
    named.length === ids.size && [...ids.values()].every((id) => named.includes(id))
  return isSameNames && canonicalText(rule) === canonicalText(before.rule)
}
