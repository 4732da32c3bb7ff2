import { readFact } from '../../../../../application/facts/fact-format.js'
import { meaningOf } from '../../../../../application/facts/fact-table.js'
import type { SeenEvents } from '../../../../../application/segments/ports/segment-queries.js'
import type { Matcher } from '../../../../../domain/segments/rule/matcher.js'
import type { Entry } from '../../entity-log/block.js'
import { eventKind, firstEventKind } from '../../fact-kinds.js'
import type { FactReader } from '../../../file/fact-reader.js'

/** Names of events that are shown, at most. */
const namesAtMost = 50

/**
 * Which events there are, by the entries of the logs of entities: of each kind of event its name, which is read
 * of one of them. One that is erased before that has none, and another of its kind is taken.
 */
export class SeenEventNames {
  /** Names by their kinds. */
  private readonly names: Map<number, string>
  /** Where one event of each kind is that has no name yet. */
  private readonly positions = new Map<number, number>()
  /** Names in the rule, by their kinds. */
  private readonly asked: ReadonlyMap<number, string>

  /** `matchers`: of the rule, whose own names are looked for however many others there are. */
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
