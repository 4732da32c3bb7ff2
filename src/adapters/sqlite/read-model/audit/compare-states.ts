import { sameJson } from '../../../../domain/json.js'
import type { EntityState } from '../../../../domain/segments/membership/entity-state.js'
import type { Matcher } from '../../../../domain/segments/rule/matcher.js'
import type { AuditedSegment } from './audited-segments.js'

/** What the rules of the audited segments look at in a state. */
export interface LookedAt {
  readonly names: ReadonlySet<string>
  readonly sustainedTests: ReadonlySet<string>
  readonly matchers: readonly Matcher[]
}

export function lookedAt(segments: readonly AuditedSegment[]): LookedAt {
  const rules = segments.flatMap(({ segment }) => segment.active.rule ?? [])
  const matchers = new Map<string, Matcher>()
  for (const matcher of rules.flatMap((rule) => rule.matchers)) {
    const keep = Math.max(matcher.keep, matchers.get(matcher.id)?.keep ?? 0)
    matchers.set(matcher.id, { ...matcher, keep })
  }
  return {
    names: new Set(rules.flatMap((rule) => [...rule.names])),
    sustainedTests: new Set(rules.flatMap((rule) => rule.sustainedTests.map(({ id }) => id))),
    matchers: [...matchers.values()],
  }
}

/**
 * What is kept of an entity besides its memberships, against what its facts come to: one line for each
 * kind of thing that differs. Either may have more instants than the rules need.
 */
export function compareStates(
  stored: EntityState,
  folded: EntityState,
  { names, sustainedTests, matchers }: LookedAt,
): readonly string[] {
  const differs = (what: string, isSame: boolean) =>
    isSame ? [] : [`what is kept of its ${what} is not what its facts say`]
  return [
    differs(
      'properties',
      [...names].every((name) => isSame(stored.properties.get(name), folded.properties.get(name))),
    ),
    differs(
      'tests that must hold for some time',
      [...sustainedTests].every(
        (id) => stored.sustainedSince.get(id) === folded.sustainedSince.get(id),
      ),
    ),
    differs(
      'events',
      matchers.every(({ id, keep }) => {
        const newest = (state: EntityState) => [...(state.instants.get(id) ?? [])].slice(0, keep)
        return (
          isSame(newest(stored), newest(folded)) &&
          isSame(pairOf(stored.last.get(id)), pairOf(folded.last.get(id)))
        )
      }),
    ),
  ].flat()
}

function pairOf(last: readonly [number, boolean] | undefined) {
  return last && [...last]
}

type Value = Parameters<typeof sameJson>[0]

function isSame(left: Value | undefined, right: Value | undefined): boolean {
  return left === undefined || right === undefined ? left === right : sameJson(left, right)
}
