import type { Effect } from '../../../domain/facts.js'
import { hashOf } from '../file/stream-names.js'
import type { DefinedSegment } from '../../../domain/segments/timeline.js'

/**
 * The kinds of entries in an entity's log. The history of an entity consists of its creation and its changes.
 * Kinds from `firstEventKind` on are events.
 */
export const creationKind = 0
export const changeKind = 1
/** The kind of facts that explicitly add or remove a member, and of facts without an effect. */
export const otherKind = 2
export const voidKind = 3
export const firstEventKind = 4

export function kindOf(effect: Effect): number {
  switch (effect.kind) {
    case 'created':
      return creationKind
    case 'properties':
      return changeKind
    case 'event':
      return eventKind(effect.event.name)
    case 'voided':
      return voidKind
    case 'hand':
    case 'none':
      return otherKind
  }
}

/**
 * Returns the kind of an event: a 31-bit hash of the event's name. With the kind, readers can skip most events
 * with other names and need not read these facts. Two names may have the same kind, so a reader must also
 * compare the names.
 */
export function eventKind(name: string): number {
  return firstEventKind + (hashOf(name) >>> 1)
}

/**
 * Decides whether a fact can affect certain segments. Needs only the kind of the fact, so that the fact need not be
 * read.
 */
export class FactKinds {
  private readonly kinds: ReadonlySet<number>
  /**
   * True when a rule matches events by a prefix of their names. In that case, every event kind can affect the
   * segments.
   */
  private readonly allEvents: boolean

  constructor(segments: readonly DefinedSegment[]) {
    const rules = segments.flatMap(({ active }) => active.rule ?? [])
    const names = rules.flatMap(({ matchers }) => matchers.map(({ event }) => event))
    this.allEvents = names.some((name) => typeof name !== 'string')
    this.kinds = new Set([
      creationKind,
      ...(rules.some((rule) => rule.names.size > 0) ? [changeKind] : []),
      ...(segments.some(({ kind }) => kind === 'hand') ? [otherKind] : []),
      ...(names.length > 0 ? [voidKind] : []),
      ...names.flatMap((name) => (typeof name === 'string' ? [eventKind(name)] : [])),
    ])
  }

  /** Returns false only if no fact of this kind can affect the segments. */
  has(kind: number): boolean {
    return this.kinds.has(kind) || (this.allEvents && kind >= firstEventKind)
  }
}
