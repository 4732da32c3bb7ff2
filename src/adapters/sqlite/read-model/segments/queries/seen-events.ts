import { readFact } from '../../../../../application/facts/fact-format.js'
import { meaningOf } from '../../../../../application/facts/fact-table.js'
import type { SeenEvents } from '../../../../../application/segments/ports/segment-queries.js'
import type { Matcher } from '../../../../../domain/segments/rule/matcher.js'
import type { Entry } from '../../entity-log/block.js'
import { eventKind, firstEventKind } from '../../fact-kinds.js'
import type { FactReader } from '../../../file/fact-reader.js'

/** The most event names that a preview lists, apart from names in the rule. */
const namesAtMost = 50

/**
 * Collects the names of events while log entries are read. A log entry contains only the kind of the event, so
 * the name is read from one event of each kind. If that event was erased, the name is read from a later event
 * of the kind.
 */
export class SeenEventNames {
  /** The event names by kind. */
  private readonly names: Map<number, string>
  /** The position of one event for each kind whose name is not known yet. */
  private readonly positions = new Map<number, number>()
  /** The event names in the rule, by kind. */
  private readonly asked: ReadonlyMap<number, string>

  /**
   * `matchers` are the matchers of the rule. Event names in the rule are collected even beyond `namesAtMost`.
   */
  constructor(matchers: readonly Matcher[], soFar: SeenEvents = nothingSeen) {
    this.names = new Map(soFar.kinds)
    const names = matchers.map(({ event }) => event).filter((name) => typeof name === 'string')
    this.asked = new Map(names.map((name) => [eventKind(name), name]))
  }

  readonly add = ({ kind, position }: Entry): void => {
    const { names, positions, asked } = this
    if (kind < firstEventKind || names.has(kind) || positions.has(kind)) return
    if (names.size + positions.size < namesAtMost || asked.has(kind)) positions.set(kind, position)
  }

  soFar(facts: FactReader): SeenEvents {
    this.readNames(facts)
    return { ...nothingSeen, kinds: [...this.names] }
  }

  whole(facts: FactReader): SeenEvents {
    this.readNames(facts)
    const { names, asked } = this
    return {
      kinds: [],
      names: [...new Set(names.values())].sort(),
      unseen: [...asked].flatMap(([kind, name]) => (names.has(kind) ? [] : [name])),
    }
  }

  private readNames(facts: FactReader): void {
    const stored = facts.stored([...this.positions.values()])
    for (const [kind, position] of this.positions) {
      const logged = stored.get(position)
      const fact = logged && readFact(logged)
      const effect = fact && meaningOf(fact).entity?.effect
      if (effect?.kind === 'event') this.names.set(kind, effect.event.name)
    }
    this.positions.clear()
  }
}

const nothingSeen: SeenEvents = { kinds: [], names: [], unseen: [] }
