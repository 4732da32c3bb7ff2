import type { Effect } from '../../../domain/facts.js'
import { hashOf } from '../file/stream-names.js'
import type { DefinedSegment } from '../../../domain/segments/timeline.js'

/** What an entry of an entity's log is about: up to 1 what is in a history, and from 3 on an event. */
export const creationKind = 0
export const changeKind = 1
/** Put into a segment by hand, or taken out; and what has no effect. */
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
 * The kind of an event: a hash of its name (31 bits), so that most events of
 * other names are passed over without being read. Two names may share it: the name itself decides.
 */
export function eventKind(name: string): number {
  return firstEventKind + (hashOf(name) >>> 1)
}

/** Which facts bear on some segments, by the kind of a fact, without reading it. */
export class FactKinds {
  private readonly kinds: ReadonlySet<number>
  /** A rule looks at events by the beginning of their names. */
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

  /** False: the fact changes nothing of them. */
  has(kind: number): boolean {
    return this.kinds.has(kind) || (this.allEvents && kind >= firstEventKind)
  }
}
