import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import { changeKind, creationKind, eventKind, firstEventKind, otherKind } from '../fact-kind.js'

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
