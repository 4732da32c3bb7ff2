import type { EntityState } from '../../../../domain/segments/entity-state.js'
import type { RuleConditions } from './rule-conditions.js'

type Columns = [
  properties: [string, never][],
  instants: [string, number[]][],
  last: [string, [number, boolean]][],
  heldSince: [string, number][],
  members: [string, number][],
]

/** There is nothing to keep. */
export function isEmpty(state: EntityState): boolean {
  const { properties, instants, last, heldSince, members, due } = state
  const parts = [properties, instants, last, heldSince, members]
  return due === Infinity && parts.every(({ size }) => size === 0)
}

/** JSON text of all but `due`. */
export function stateText({ properties, instants, last, heldSince, members }: EntityState): string {
  return JSON.stringify([properties, instants, last, heldSince, members].map((part) => [...part]))
}

/** From the text that `stateText` makes. What no rule looks at is left out: it is out of date. */
export function stateIn(text: string, due: number, looked: RuleConditions): EntityState {
  const [properties, instants, last, heldSince, members] = JSON.parse(text) as Columns
  const { names, conditions, segments } = looked
  const isLookedAt = ([id]: readonly [string, unknown]) => conditions.has(id)
  return {
    properties: new Map(properties.filter(([name]) => names.has(name))),
    instants: new Map(instants.filter(isLookedAt)),
    last: new Map(last.filter(isLookedAt)),
    heldSince: new Map(heldSince.filter(isLookedAt)),
    members: new Map(members.filter(([id]) => segments.has(id))),
    due,
  }
}
