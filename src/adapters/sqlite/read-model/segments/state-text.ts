import type { EntityState } from '../../../../domain/segments/entity-state.js'

/**
 * What belongs to the rules that are evaluated, each since which epoch: anything else, and what is older,
 * is left out when a state is read.
 */
export interface KnownConditions {
  readonly names: ReadonlyMap<string, number>
  /** Of matchers and of tests that must hold for some time. */
  readonly conditions: ReadonlyMap<string, number>
  readonly segments: ReadonlySet<string>
  /** Of states that are written now; undefined: each has its own, and everything was kept all along. */
  readonly epoch: number | undefined
}

/** A state as it is written. */
export interface WrittenState {
  readonly text: string
  readonly due: number
  readonly epoch: number
}

type Columns = [
  properties: [string, never][],
  instants: [string, number[]][],
  last: [string, [number, boolean]][],
  heldSince: [string, number][],
  members: [string, number][],
]

/** Of a state that has nothing. */
export const emptyText = '[[],[],[],[],[]]'

/** JSON text of all but `due`; undefined when there is nothing to keep. */
export function stateText(state: EntityState): string | undefined {
  const { properties, instants, last, heldSince, members, due } = state
  const parts = [properties, instants, last, heldSince, members]
  if (due === Infinity && parts.every(({ size }) => size === 0)) return undefined
  return JSON.stringify(parts.map((part) => [...part]))
}

/** From the text that `stateText` makes. */
export function stateIn({ text, due, epoch }: WrittenState, known: KnownConditions): EntityState {
  const [properties, instants, last, heldSince, members] = JSON.parse(text) as Columns
  const { names, conditions, segments } = known
  const isKept = ([id]: readonly [string, unknown]) => (conditions.get(id) ?? Infinity) <= epoch
  return {
    properties: new Map(properties.filter(([name]) => (names.get(name) ?? Infinity) <= epoch)),
    instants: new Map(instants.filter(isKept)),
    last: new Map(last.filter(isKept)),
    heldSince: new Map(heldSince.filter(isKept)),
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
