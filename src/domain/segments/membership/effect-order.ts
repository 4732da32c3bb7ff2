import type { EntityFact, PropertyChange } from '../../facts.js'
import type { Json } from '../../json.js'

/** A fact, and from when on it counts, in milliseconds since 1970. */
interface EffectiveFact {
  readonly fact: EntityFact
  readonly at: number
}

/** Where a fact is in the order of recording, and when it took effect, in milliseconds since 1970. */
export interface EffectPlace {
  readonly position: number
  readonly at: number
}

/**
 * The places of an entity's facts in the order in which they took effect. Whatever took effect before the
 * entity was created counts from its creation on. `places`: in the order of recording.
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
 * The facts as they take effect. What holds after each instant is the fold, in the order of recording, of
 * all that took effect by then: where the clocks of processes differ, what was recorded later counts,
 * though it took effect earlier. All changes of properties at one instant are one. `facts`: in the order
 * of `inEffectOrder`.
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
    // Nothing that was recorded later took effect earlier, of the same property or segment.
    const isLatest = (subject: string) => {
      const before = latest.get(subject) ?? -1
      latest.set(subject, Math.max(before, position))
      return before <= position
    }
    moment.add(fact, isLatest)
  }
  yield* all()
}

/** In milliseconds since 1970. */
export function effectOf(fact: EntityFact): number {
  return Date.parse(fact.tookEffectAt)
}

class Moment {
  private readonly set = new Map<string, Json>()
  private readonly unset = new Set<string>()
  private readonly others: EntityFact[] = []
  /** The creation, where there was one. */
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

  /** The change of properties first: the creation is one. */
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
