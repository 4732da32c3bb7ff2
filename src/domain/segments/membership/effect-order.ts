import type { EntityFact, PropertyChange } from '../../facts.js'
import type { Json } from '../../json.js'

/** A fact, and the instant at which it takes effect, in milliseconds since 1970. */
interface EffectiveFact {
  readonly fact: EntityFact
  readonly at: number
}

/** The position of a fact, and the instant at which it took effect, in milliseconds since 1970. */
export interface EffectPlace {
  readonly position: number
  readonly at: number
}

/**
 * Sorts the facts of one entity by the instant at which they took effect. A fact with an instant before the
 * entity's creation takes effect at the creation. `places` must be in the order of recording.
 */
export function inEffectOrder<Place extends EffectPlace>(
  places: readonly Place[],
  createdAt: number,
): readonly Place[] {
  return places
    .map((place) => ({ ...place, at: Math.max(place.at, createdAt) }))
    .sort((left, right) => left.at - right.at)
}

/**
 * Yields the facts in the order in which they take effect. Facts of one instant keep the order of their
 * recording, and their property changes are merged into one change.
 *
 * Of two facts about one property or segment, the fact that was recorded later wins, even if its recording
 * process had a clock that lagged. `facts` must be in the order of `inEffectOrder`.
 */
export function* effects(
  facts: Iterable<EffectPlace & { readonly fact: EntityFact }>,
): Generator<EffectiveFact> {
  const latest = new Map<string, number>()
  let moment = new Moment()
  let momentAt = Number.NaN
  const all = function* () {
    for (const fact of moment.facts) yield { fact, at: momentAt }
  }
  for (const { fact, position, at } of facts) {
    if (at !== momentAt) {
      yield* all()
      moment = new Moment()
      momentAt = at
    }
    // Returns whether no fact that was recorded later has already changed the property or segment.
    const isLatest = (subject: string) => {
      const before = latest.get(subject) ?? -1
      latest.set(subject, Math.max(before, position))
      return before <= position
    }
    moment.add(fact, isLatest)
  }
  yield* all()
}

/** Returns the instant at which a fact took effect, in milliseconds since 1970. */
export function effectOf(fact: EntityFact): number {
  return Date.parse(fact.tookEffectAt)
}

class Moment {
  private readonly set = new Map<string, Json>()
  private readonly unset = new Set<string>()
  private readonly others: EntityFact[] = []
  /**
   * The fact that gets all property changes of the instant: the entity's creation if it takes effect at this
   * instant, otherwise the last change that was added.
   */
  private change: EntityFact | undefined

  add(fact: EntityFact, isLatest: (subject: string) => boolean): void {
    const { effect } = fact
    switch (effect.kind) {
      case 'created':
      case 'properties':
        if (this.change?.effect.kind !== 'created') this.change = fact
        this.apply(effect, isLatest)
        return
      case 'hand':
        if (isLatest(`segment ${effect.segment}`)) this.others.push(fact)
        return
      case 'event':
      case 'none':
        this.others.push(fact)
    }
  }

  private apply({ set, unset }: PropertyChange, isLatest: (subject: string) => boolean): void {
    for (const name of unset) {
      if (!isLatest(`property ${name}`)) continue
      this.unset.add(name)
      this.set.delete(name)
    }
    for (const [name, value] of Object.entries(set)) {
      if (!isLatest(`property ${name}`)) continue
      this.unset.delete(name)
      this.set.set(name, value)
    }
  }

  /** The facts of the instant: first the merged property change or creation, then the other facts. */
  get facts(): readonly EntityFact[] {
    const { change } = this
    if (change === undefined) return this.others
    const { kind } = change.effect
    const effect = {
      kind: kind === 'created' ? kind : 'properties',
      set: Object.fromEntries(this.set),
      unset: [...this.unset],
    } as const
    return [{ ...change, effect }, ...this.others]
  }
}
