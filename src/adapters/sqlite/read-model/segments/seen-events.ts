import { readEntityFact } from '../../../../application/facts/fact-format.js'
import type { SeenEvents } from '../../../../application/segments/ports/segment-queries.js'
import type { Matcher } from '../../../../domain/segments/rule/matcher.js'
import type { Entry } from '../entity-log/block.js'
import { eventKind, firstEventKind } from '../fact-kinds.js'
import type { FactsByPosition } from '../facts-by-position.js'

/** Names of events that are told. */
const namesAtMost = 50

/** Which events there are, by the entries of the logs of entities: of each kind of event, where one of it is. */
export class EventsSeen {
  private readonly positions: Map<number, number>
  private readonly asked: ReadonlySet<string>

  /** `matchers`: of the rule, whose own names are looked for however many others there are. */
  constructor(matchers: readonly Matcher[], soFar: SeenEvents = nothingSeen) {
    this.positions = new Map(soFar.kinds)
    const names = matchers.map(({ event }) => event)
    this.asked = new Set(names.filter((name) => typeof name === 'string'))
  }

  readonly add = ({ kind, position }: Entry): void => {
    const { positions } = this
    if (kind < firstEventKind || positions.has(kind)) return
    if (positions.size < namesAtMost || this.asksFor(kind)) positions.set(kind, position)
  }

  private asksFor(kind: number): boolean {
    return [...this.asked].some((name) => eventKind(name) === kind)
  }

  get soFar(): SeenEvents {
    return { ...nothingSeen, kinds: [...this.positions] }
  }

  /** With their names, which are read of one event each. */
  named(facts: FactsByPosition): SeenEvents {
    const { positions, asked } = this
    const stored = facts.stored([...positions.values()].sort((left, right) => left - right))
    const names = [...stored.values()].flatMap((fact) => {
      const { effect } = readEntityFact(fact)
      return effect.kind === 'event' ? [effect.event.name] : []
    })
    return {
      kinds: [],
      names: [...new Set(names)].sort(),
      unseen: [...asked].filter((name) => !positions.has(eventKind(name))),
    }
  }
}

export const nothingSeen: SeenEvents = { kinds: [], names: [], unseen: [] }
