import { atOnce } from '../../../../domain/in-pieces.js'
import { sameJson } from '../../../../domain/json.js'
import { AtAnyInstant } from '../../../../domain/segments/membership/entity-views.js'
import {
  StateView,
  type EntityState,
  type Subject,
} from '../../../../domain/segments/membership/entity-state.js'
import { firstChange } from '../../../../domain/segments/membership/evaluate.js'
import type { Matcher } from '../../../../domain/segments/rule/matcher.js'
import { timestampIn } from '../../file/row.js'
import type { AuditedSegment } from './audited-segments.js'
import type { Differences } from './differences.js'

/** The state that an entity's facts come to, and how that was worked out. */
interface ExpectedState {
  readonly subject: Subject
  readonly state: EntityState
  readonly from: 'rebuilt' | 'folded'
}

/** Compares what entities are evaluated with, as far as the rules of some segments look at it. */
export class ComparedStates {
  private readonly names: ReadonlySet<string>
  private readonly sustainedTests: ReadonlySet<string>
  private readonly matchers: readonly Matcher[]
  private readonly rules: ReadonlyMap<string, AuditedSegment['segment']['active']['rule']>

  constructor(
    private readonly segments: readonly AuditedSegment[],
    private readonly logTime: number,
  ) {
    const rules = segments.flatMap(({ segment }) => segment.active.rule ?? [])
    const matchers = new Map<string, Matcher>()
    for (const matcher of rules.flatMap((rule) => rule.matchers)) {
      const keep = Math.max(matcher.keep, matchers.get(matcher.id)?.keep ?? 0)
      matchers.set(matcher.id, { ...matcher, keep })
    }
    this.names = new Set(rules.flatMap((rule) => [...rule.names]))
    this.sustainedTests = new Set(rules.flatMap((rule) => rule.sustainedTests.map(({ id }) => id)))
    this.matchers = [...matchers.values()]
    this.rules = new Map(segments.map(({ segment: { active } }) => [active.id, active.rule]))
  }

  /** Either state may have more instants than the rules need. */
  compare(what: string, stored: EntityState, expected: ExpectedState, found: Differences): void {
    const { state, from } = expected
    for (const { name, segment } of this.segments) {
      const { id } = segment.active
      const since = [stored.members.get(id), state.members.get(id)].map((at) =>
        at === undefined ? undefined : `since ${timestampIn(at)}`,
      )
      found.compare(what, `its membership in ${name}, in its state,`, [since[0], since[1]], from)
    }
    const differs = (part: string, isTheSame: boolean) => {
      if (!isTheSame) found.add(what, `the ${part} in its state are not those ${from}`)
    }
    differs(
      'properties',
      [...this.names].every((name) =>
        isSame(stored.properties.get(name), state.properties.get(name)),
      ),
    )
    differs(
      'tests that must hold for some time',
      [...this.sustainedTests].every(
        (id) => stored.sustainedSince.get(id) === state.sustainedSince.get(id),
      ),
    )
    differs(
      'events',
      this.matchers.every((matcher) => hasSameEvents(matcher, stored, state)),
    )
    this.compareDue(what, stored, expected, found)
  }

  /** A state that is due too early costs an evaluation that finds nothing. It is never due too late. */
  private compareDue(
    what: string,
    { due }: EntityState,
    { subject, state, from }: ExpectedState,
    found: Differences,
  ): void {
    if (from === 'rebuilt' && due === state.due) return
    const view = new AtAnyInstant(new StateView(subject, state), (id) => this.rules.get(id)?.node)
    const changes = [...this.rules.values()].map(
      (rule) => (rule && atOnce(firstChange(rule.node, view, this.logTime))) ?? Infinity,
    )
    const latest = Math.min(...changes)
    if (due > this.logTime && due <= latest) return
    found.add(
      what,
      `it is due ${dueText(due)}, and must be after log time and by ${dueText(latest)}`,
    )
  }
}

function hasSameEvents({ id, keep }: Matcher, left: EntityState, right: EntityState): boolean {
  const newest = ({ instants }: EntityState) => [...(instants.get(id) ?? [])].slice(0, keep)
  const last = (state: EntityState) => [...(state.last.get(id) ?? [])]
  return isSame(newest(left), newest(right)) && isSame(last(left), last(right))
}

function dueText(due: number): string {
  return due === Infinity ? 'never' : timestampIn(due)
}

type Value = Parameters<typeof sameJson>[0]

function isSame(left: Value | undefined, right: Value | undefined): boolean {
  return left === undefined || right === undefined ? left === right : sameJson(left, right)
}
