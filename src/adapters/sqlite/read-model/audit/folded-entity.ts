import { UnreadableFact, type StoredFact } from '../../../../application/facts/stored-fact.js'
import { readEntityFact } from '../../../../application/facts/fact-format.js'
import type { EntityFact } from '../../../../domain/facts.js'
import { profileAfter, type Profile } from '../../../../domain/profile.js'
import type { EntityState, Subject } from '../../../../domain/segments/membership/entity-state.js'
import {
  TimelineReplay,
  Replay,
  segmentSets,
} from '../../../../domain/segments/membership/replay.js'
import type { DefinedSegment, TimelineStep } from '../../../../domain/segments/timeline.js'
import { missing, type FactReader } from '../../file/fact-reader.js'
import { subjectOf } from '../segments/evaluation/entity-states.js'
import type { PickedEntity } from './picked-entities.js'

/** The first names of an entity's events; the lists of other names are not compared. */
const maxNames = 16

/** Where an event of an entity is. All instants are milliseconds since 1970. */
export interface EventPlace {
  readonly position: number
  readonly recordedAt: number
  readonly occurredAt: number
  /** The place of its name among `names`; -1: it is none of them. */
  readonly name: number
}

/** A profile as it was, and its bounds in milliseconds since 1970. */
export interface PastProfile {
  readonly asOf: number
  readonly knownAt: number
  readonly profile: Profile | undefined
}

export interface FoldedEntity {
  readonly profile: Profile
  /** The log held half its facts then. */
  readonly past: PastProfile
  /** In the order of the log. */
  readonly events: readonly EventPlace[]
  readonly names: readonly string[]
  readonly changes: readonly number[]
  readonly subject: Subject
  readonly state: EntityState
}

/** Folds entities one at a time, fact by fact. */
export class EntityFolds {
  private readonly setOf: ReturnType<typeof segmentSets>

  constructor(
    private readonly facts: FactReader,
    private readonly steps: readonly TimelineStep[],
    private readonly logTime: number,
  ) {
    this.setOf = segmentSets([[], ...steps.map(({ segments }) => segments)])
  }

  /** Throws `UnreadableFact`. */
  fold({ positions, logTimes }: PickedEntity): FoldedEntity {
    const middle = positions.length >> 1
    const subject = this.subjectAt(positions[0] ?? 0)
    const asOf = Date.parse(this.factAt(positions[middle] ?? 0).tookEffectAt)
    const fold = new ProfileFold({ asOf, knownAt: logTimes[middle] ?? 0 })
    const replay = new Replay(subject, this.setOf, noSegments)
    const membership = new TimelineReplay(replay, this.steps)
    let index = 0
    for (const { position, fact } of ownFacts(this.facts, positions)) {
      const logTime = logTimes[index] ?? 0
      fold.add(fact, position, logTime)
      membership.apply(fact, position, logTime)
      index += 1
    }
    return { ...fold.end(), subject, state: membership.end(this.logTime) }
  }

  private factAt(position: number): EntityFact {
    return readEntityFact(this.facts.find(position) ?? missing(position))
  }

  private subjectAt(position: number): Subject {
    const creation = this.factAt(position)
    if (creation.effect.kind !== 'created') return missing(position)
    return subjectOf(creation.externalId, Date.parse(creation.recordedAt))
  }
}

const noSegments: readonly DefinedSegment[] = []

type Bounds = Pick<PastProfile, 'asOf' | 'knownAt'>

class ProfileFold {
  private profile: Profile | undefined
  private then: Profile | undefined
  private readonly events: EventPlace[] = []
  private readonly names: string[] = []
  private readonly changes: number[] = []

  constructor(private readonly bounds: Bounds) {}

  add(fact: EntityFact, position: number, logTime: number): void {
    const { asOf, knownAt } = this.bounds
    this.profile = profileAfter(this.profile, fact)
    const isThen = logTime <= knownAt && Date.parse(fact.tookEffectAt) <= asOf
    if (isThen) this.then = profileAfter(this.then, fact)
    const { effect } = fact
    switch (effect.kind) {
      case 'created':
      case 'properties':
        this.changes.push(position)
        return
      case 'event':
        this.events.push({
          position,
          recordedAt: Date.parse(fact.recordedAt),
          occurredAt: Date.parse(fact.tookEffectAt),
          name: this.placeOf(effect.event.name),
        })
        return
      case 'hand':
      case 'none':
    }
  }

  end() {
    const { profile, events, names, changes, bounds } = this
    if (profile === undefined) throw new UnreadableFact('the facts of an entity do not create it')
    return { profile, past: { ...bounds, profile: this.then }, events, names, changes }
  }

  private placeOf(name: string): number {
    const found = this.names.indexOf(name)
    if (found >= 0 || this.names.length === maxNames) return found
    return this.names.push(name) - 1
  }
}

/** A fact of one entity, as it is stored and as this version reads it. */
export interface OwnFact {
  readonly position: number
  readonly stored: StoredFact
  readonly fact: EntityFact
}

/** With bodies of 256 KiB, 8 MiB. */
export const factsAtOnce = 32

/** The facts at some positions, in the order of the positions given; a few are in memory at a time. */
export function* ownFacts(
  facts: FactReader,
  positions: readonly number[],
): Generator<OwnFact, undefined> {
  for (let at = 0; at < positions.length; at += factsAtOnce) {
    const some = positions.slice(at, at + factsAtOnce)
    const found = facts.stored(some)
    for (const position of some) {
      const stored = found.get(position) ?? missing(position)
      yield { position, stored, fact: readEntityFact(stored) }
    }
  }
  return undefined
}
