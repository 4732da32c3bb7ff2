import type { Effect } from '../../../domain/facts.js'
import { hashOf } from '../file/stream-names.js'
import type { DefinedSegment } from '../../../domain/segments/timeline.js'

/** Kinds of entries in an entity's log: 0 and 1 are in the history, and kinds from 3 on are events. */
export const creationKind = 0
export const changeKind = 1
/** Membership changes by hand, and facts without an effect. */
export const otherKind = 2
export const firstEventKind = 3

export function kindOf(effect: Effect): number {
  switch (effect.kind) {
    case 'created':
      return creationKind
    case 'properties':
      return changeKind
    case 'event':
      return eventKind(effect.event.name)
    case 'hand':
    case 'none':
      return otherKind
  }
}

/**
 * The kind of an event: a hash of its name (31 bits). Most events with other names can be skipped without reading
 * them. Two names may share a kind, so a reader must also compare the name.
 */
export function eventKind(name: string): number {
  return firstEventKind + (hashOf(name) >>> 1)
}

/** Says by its kind whether a fact can affect given segments, without reading the fact. */
export class FactKinds {
  private readonly kinds: ReadonlySet<number>
  /** True when a rule matches events by a prefix of their names. */
  private readonly allEvents: boolean

  constructor(segments: readonly DefinedSegment[]) {
    const rules = segments.flatMap(({ active }) => active.rule ?? [])
    const names = rules.flatMap(({ matchers }) => matchers.map(({ event }) => event))
    this.allEvents = names.some((name) => typeof name !== 'string')
    this.kinds = new Set([
      creationKind,
      ...(rules.some((rule) => rule.names.size > 0) ? [changeKind] : []),
      ...(segments.some(({ kind }) => kind === 'hand') ? [otherKind] : []),
      ...names.flatMap((name) => (typeof name === 'string' ? [eventKind(name)] : [])),
    ])
  }

  /** False when facts of this kind cannot affect the segments. */
  has(kind: number): boolean {
    return this.kinds.has(kind) || (this.allEvents && kind >= firstEventKind)
  }
}
