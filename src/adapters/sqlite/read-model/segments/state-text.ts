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
  readonly memberships: string
  readonly due: number
  readonly epoch: number
}

type Columns = [
  properties: [string, never][],
  instants: [string, number[]][],
  last: [string, [number, boolean]][],
  heldSince: [string, number][],
]

/** There is nothing to keep. */
export function isEmpty(state: EntityState): boolean {
  const { properties, instants, last, heldSince, members, due } = state
  const parts = [properties, instants, last, heldSince, members]
  return due === Infinity && parts.every(({ size }) => size === 0)
}

/** JSON text of all but `due` and memberships. */
export function stateText({ properties, instants, last, heldSince }: EntityState): string {
  return JSON.stringify([properties, instants, last, heldSince].map((part) => [...part]))
}

/** JSON text. */
export function membershipsText({ members }: EntityState): string {
  return JSON.stringify([...members])
}

/** From the texts that `stateText` and `membershipsText` make. */
export function stateIn(
  { text, memberships, due, epoch }: WrittenState,
  known: KnownConditions,
): EntityState {
  const [properties, instants, last, heldSince] = JSON.parse(text) as Columns
  const members = JSON.parse(memberships) as [string, number][]
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
