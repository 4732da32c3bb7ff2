// Segments: this folder turns rules into memberships.
// - In: commands. `define-segment.ts` and `hand-members.ts` turn them into the facts of `segment-facts.ts`.
// - Stored: `Definitions` is the state that commands are checked against. `Timeline` contains the segments to
//   evaluate after each definition. `Catalog` contains the version of each segment that queries use.
// - Out: `rule/` parses and compiles a rule, and `membership/` evaluates it for one entity.
import { canonicalText } from '../json.js'
import { compileRule } from './rule/compiled-rule.js'
import type { NameCondition } from './rule/matcher.js'
import type { ActiveSegment, Change } from './membership/membership.js'
import { parseRule } from './rule/parse-rule.js'
import { dependencyOrder, segmentsNamedBy } from './named-segments.js'
import type { Rule } from './rule/rule.js'
import { countUntil, SegmentVersions } from './segment-versions.js'
import {
  evaluatorVersion,
  type SegmentDefined,
  type SegmentKind,
  type SegmentRetired,
} from './segment-facts.js'

/** A definition fact, with its position and the log time at the fact. */
export interface PlacedDefinition {
  readonly fact: SegmentDefined | SegmentRetired
  readonly position: number
  /** The log time at the fact, in milliseconds since 1970. */
  readonly logTime: number
}

/** The definition fact at which a step begins. */
export interface Since {
  readonly position: number
  readonly factId: string
  /** The log time at the fact, in milliseconds since 1970. */
  readonly logTime: number
}

export interface DefinedSegment {
  readonly key: string
  readonly version: number
  readonly title: string
  readonly kind: SegmentKind
  /** Undefined for a segment of the kind `hand`. */
  readonly rule: Rule | undefined
  readonly definedAt: string
  /** True if the rule uses a rule language that this program does not know. Such a segment is not evaluated. */
  readonly isForeign: boolean
  /** The versions of all segments that the rule depends on, by key. */
  readonly resolved: Readonly<Record<string, number>>
  /** The definition that last changed the segment: its own definition, or the definition of a dependency. */
  readonly through: Since
  /** The compiled segment. It stays the same object as long as neither the rule nor a dependency changes. */
  readonly active: ActiveSegment
  /** The position of the definition that created `active`. */
  readonly activeFrom: number
}

interface Step {
  readonly since: Since
  /** The changes in evaluation order: each segment follows its dependencies. */
  readonly changes: readonly (Change & { readonly key: string })[]
}

/** A definition fact, and its effect on the segments that one query reads. */
export interface TimelineStep extends Step {
  /** The segments of the query that exist after the step, in evaluation order. */
  readonly segments: readonly DefinedSegment[]
}

/**
 * A definition fact and its effect. The step stores only the changed segments, because there may be thousands
 * of definitions and 200 segments.
 */
export interface DefinitionStep extends Step {
  /** The segment that the step defines, and all segments that depend on it. */
  readonly defined: readonly DefinedSegment[]
  /** The keys of all segments after the step, in evaluation order. Steps with equal orders share one array. */
  readonly order: readonly string[]
}

const atNothing: readonly DefinedSegment[] = []

/**
 * All definitions in log order, and the segments to evaluate after each definition. The timeline is derived
 * from the stream `segments`. Active ids are derived from positions, so every process computes the same ids.
 */
export class Timeline {
  readonly steps: DefinitionStep[] = []
  /** The current segments, in evaluation order. */
  segments: readonly DefinedSegment[] = atNothing
  private readonly versions = new SegmentVersions<DefinedSegment>()

  constructor(
    definitions: Iterable<PlacedDefinition>,
    private readonly nameOf: NameCondition,
  ) {
    for (const definition of definitions) this.add(definition)
  }

  /** Returns the segments at a position, in evaluation order. */
  at(position: number): readonly DefinedSegment[] {
    const step = this.steps[this.stepsUntil(position) - 1]
    if (step === undefined) return atNothing
    if (step === this.steps.at(-1)) return this.segments
    return step.order.flatMap((key) => this.versions.at(key, position) ?? [])
  }

  /** Returns the newest version with this active id. */
  active(id: string): DefinedSegment | undefined {
    return this.versions.active(id)
  }

  /** Returns the position of the last step at which this version of the segment is still current. */
  lastOf(segment: DefinedSegment): number | undefined {
    const replaced = this.versions.after(segment)
    return this.steps[(replaced?.step ?? this.steps.length) - 1]?.since.position
  }

  /** Returns the position of the definition that replaced or retired this version. Undefined for a current version. */
  replacedAt(segment: DefinedSegment): number | undefined {
    return this.versions.after(segment)?.position
  }

  /**
   * Returns the steps up to a position that affect the wanted segments or their dependencies. Former
   * dependencies count too. Reads no other steps.
   */
  related(wanted: readonly DefinedSegment[], until = Infinity): readonly TimelineStep[] {
    const keys = dependencyOrder(
      wanted.map(({ key }) => key),
      (key) => this.versions.namedUntil(key, until),
    )
    const indexes = new Set([...keys].flatMap((key) => this.versions.stepsUntil(key, until)))
    const there = new Map<string, DefinedSegment>()
    const order = new OrderOf(keys)
    return [...indexes]
      .sort((left, right) => left - right)
      .flatMap((index) => {
        const step = this.steps[index]
        if (step === undefined) return []
        for (const segment of step.defined) there.set(segment.key, segment)
        const segments = order.in(step).flatMap((key) => there.get(key) ?? [])
        const changes = step.changes.filter(({ key }) => keys.has(key))
        return [{ since: step.since, changes, segments }]
      })
  }

  add({ fact, position, logTime }: PlacedDefinition): DefinitionStep {
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
    const step = {
      since,
      changes: gone === undefined ? changes : [...changes, gone],
      defined: segments.filter(({ through }) => through === since),
      order: this.orderOf(segments),
    }
    const at = { step: this.steps.length, position }
    if (retired !== undefined) this.versions.retire(retired.key, at)
    for (const segment of step.defined) this.versions.add(segment, at, namedBy(segment))
    this.steps.push(step)
    this.segments = segments
    return step
  }

  private orderOf(segments: readonly DefinedSegment[]): readonly string[] {
    const before = this.steps.at(-1)?.order ?? []
    const isSame =
      before.length === segments.length && segments.every(({ key }, at) => before[at] === key)
    return isSame ? before : segments.map(({ key }) => key)
  }

  private stepsUntil(position: number): number {
    return countUntil(this.steps, ({ since }) => since.position, position)
  }

  /** Defines all segments, each after its dependencies. */
  private resolve(
    drafts: ReadonlyMap<string, Draft>,
    before: ReadonlyMap<string, DefinedSegment>,
    step: Defining,
  ): readonly DefinedSegment[] {
    const done = new Map<string, DefinedSegment>()
    for (const key of dependencyOrder(drafts.keys(), (draftKey) => namedBy(drafts.get(draftKey)))) {
      const draft = drafts.get(key)
      if (draft === undefined) continue
      const context = { ...step, done, ordinal: done.size, before: before.get(key) }
      done.set(key, this.define(draft, context))
    }
    return [...done.values()]
  }

  private define(
    draft: Draft,
    { since, changed, done, ordinal, before }: DefineContext,
  ): DefinedSegment {
    const named = namedBy(draft).flatMap((key) => done.get(key) ?? [])
    const isAffected = draft.key === changed || named.some(({ through }) => through === since)
    if (!isAffected && before !== undefined) return before
    const isForeign = draft.isForeign || named.some((other) => other.isForeign)
    const ids = new Map(named.map(({ key, active }) => [key, active.id]))
    const keepsActive = before !== undefined && isSameMeaning(before, draft, ids)
    const { active, activeFrom } = keepsActive ? before : this.activate(draft, ids, since, ordinal)
    const resolved = versionsOf(named)
    return { ...draft, isForeign, resolved, through: since, active, activeFrom }
  }

  private activate(
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

/** Returns the keys of one query in the evaluation order of a step. Caches them until the order changes. */
class OrderOf {
  private order: readonly string[] = []
  private found: readonly string[] = []

  constructor(private readonly keys: ReadonlySet<string>) {}

  in({ order }: DefinitionStep): readonly string[] {
    if (order !== this.order) this.found = order.filter((key) => this.keys.has(key))
    this.order = order
    return this.found
  }
}

type Draft = Omit<DefinedSegment, 'resolved' | 'through' | 'active' | 'activeFrom'>

interface Defining {
  readonly since: Since
  readonly changed: string
}

interface DefineContext extends Defining {
  readonly done: ReadonlyMap<string, DefinedSegment>
  readonly ordinal: number
  readonly before: DefinedSegment | undefined
}

function namedBy(draft: Draft | undefined): readonly string[] {
  return draft?.rule === undefined ? [] : [...segmentsNamedBy(draft.rule)]
}

/** Returns the versions of the named segments and of all their dependencies, by key. */
function versionsOf(named: readonly DefinedSegment[]): Readonly<Record<string, number>> {
  const versions = new Map<string, number>()
  for (const { key, version, resolved } of named) {
    for (const [further, its] of Object.entries(resolved)) versions.set(further, its)
    versions.set(key, version)
  }
  return Object.fromEntries(versions)
}

/**
 * Returns the segment of a definition fact. If this program cannot parse the rule, marks the segment as
 * foreign: a newer program with a larger rule language may have stored the rule.
 */
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
  const hasSameDependencies =
    named.length === ids.size && [...ids.values()].every((id) => named.includes(id))
  return hasSameDependencies && canonicalText(rule) === canonicalText(before.rule)
}
