import type { EntityState } from '../../../../domain/segments/entity-state.js'

/** What belongs to the rules that are evaluated: anything else is left out when a state is read. */
export interface KnownConditions {
  readonly names: ReadonlySet<string>
  /** Of matchers and of tests that must hold for some time. */
  readonly conditions: ReadonlySet<string>
  readonly segments: ReadonlySet<string>
}

type Columns = [
  properties: [string, never][],
  instants: [string, number[]][],
  last: [string, [number, boolean]][],
  heldSince: [string, number][],
  members: [string, number][],
]

/** JSON text of all but `due`; undefined when there is nothing to keep. */
export function stateText(state: EntityState): string | undefined {
  const { properties, instants, last, heldSince, members, due } = state
  const parts = [properties, instants, last, heldSince, members]
  if (due === Infinity && parts.every(({ size }) => size === 0)) return undefined
  return JSON.stringify(parts.map((part) => [...part]))
}

/** From the text that `stateText` makes. */
export function stateIn(text: string, due: number, known: KnownConditions): EntityState {
  const [properties, instants, last, heldSince, members] = JSON.parse(text) as Columns
  const { names, conditions, segments } = known
  return {
    properties: new Map(properties.filter(([name]) => names.has(name))),
    instants: new Map(instants.filter(([id]) => conditions.has(id))),
    last: new Map(last.filter(([id]) => conditions.has(id))),
    heldSince: new Map(heldSince.filter(([id]) => conditions.has(id))),
    members: new Map(members.filter(([id]) => segments.has(id))),
    due,
  }
}

/**
 * One state of two that say the same wherever both say anything. Of instants, one may have more than the
 * other.
 */
export function joinStates(one: EntityState, other: EntityState): EntityState {
  const instants = new Map(one.instants)
  for (const [id, list] of other.instants) {
    if (list.length >= (instants.get(id)?.length ?? 0)) instants.set(id, list)
  }
  return {
    properties: new Map([...one.properties, ...other.properties]),
    instants,
    last: new Map([...one.last, ...other.last]),
    heldSince: new Map([...one.heldSince, ...other.heldSince]),
    members: new Map([...one.members, ...other.members]),
    due: Math.min(one.due, other.due),
  }
}
