import { setImmediate as nextTurn } from 'node:timers/promises'
import { Permits } from '../../../../application/permits.js'
import { ReadModelBehind, TooManyFacts } from '../../../../application/reading/errors.js'
import type { EventRecorded } from '../../../../domain/event.js'
import { effectOf, inEffectOrder } from '../../../../domain/segments/effect-order.js'
import type { EntityState, Subject } from '../../../../domain/segments/entity-state.js'
import { Replay, type Period, type SubjectFact } from '../../../../domain/segments/replay.js'
import type { HandFact } from '../../../../domain/segments/segment-facts.js'
import { segmentSets } from '../../../../domain/segments/segment-sets.js'
import type { DefinedSegment, TimelineStep } from '../../../../domain/segments/timeline.js'
import { validPeriods } from '../../../../domain/segments/valid-periods.js'
import { prepareRows, type Database } from '../../file/driver.js'
import { numberIn, numbersIn, valuesIn } from '../../file/row.js'
import type { KnownFacts } from '../known-facts.js'
import { bucketOf } from './hashes.js'
import type { KnownPrefix } from './log-times.js'
import { subjectOf } from './subject-of.js'

/** So many facts are folded for one request. */
const maxFacts = 100_000
const maxFolding = 2
const maxQueued = 32
const maxFoldMs = 10_000
const factsAtOnce = 200

/** What the membership of an entity is folded of. */
export interface Told {
  /** Of the log up to here. */
  readonly known: KnownPrefix
  /** What took effect by then, in milliseconds since 1970; undefined: all, as the log told it. */
  readonly asOf: number | undefined
  /** In the order of the log: they change what is evaluated; with `asOf` there are none. */
  readonly steps: readonly TimelineStep[]
  /** What is evaluated from the beginning on. */
  readonly segments: readonly DefinedSegment[]
}

export interface Folded {
  readonly subject: Subject
  readonly state: EntityState
  /** Every time that the entity was in a segment, the first one first. */
  readonly periodsOf: (key: string) => readonly Period[]
  /** In the order in which they were recorded. */
  readonly events: readonly EventRecorded[]
  /** The instant for which it holds, in milliseconds since 1970. */
  readonly now: number
}

/** What a request folds. */
export interface Folding {
  readonly entities: readonly number[]
  readonly known: KnownPrefix
  /** Of the last fact that is known here. */
  readonly position: number
}

interface PlacedFact {
  readonly fact: SubjectFact
  readonly position: number
  /** Log time at it, in milliseconds since 1970. */
  readonly logTime: number
}

/** Memberships folded on demand, of an entity's own facts. */
export class PastMemberships {
  private readonly statements: ReturnType<typeof prepare>
  private readonly permits = new Permits(maxFolding)

  constructor(
    db: Database,
    private readonly facts: KnownFacts,
  ) {
    this.statements = prepare(db)
  }

  /**
   * Does what a request needs; `dueAt`: when `fold` gives up. Throws `TooManyFacts` when it would fold more
   * than 100,000, and `ReadModelBehind` when too many others wait, or it takes too long.
   */
  async allow<T>(folding: Folding, work: (dueAt: number) => Promise<T>): Promise<T> {
    const dueAt = performance.now() + maxFoldMs
    if (this.permits.queued >= maxQueued) throw new ReadModelBehind(folding.position)
    await this.permits.take()
    try {
      this.refuseTooMany(folding)
      return await work(dueAt)
    } finally {
      this.permits.giveBack()
    }
  }

  /** They are counted before: whoever asks for too much is told so, and not to ask again. */
  private refuseTooMany({ entities, known }: Folding): void {
    let left = maxFacts
    for (const entity of entities) {
      left -= numberIn(this.statements.count.get(entity, known.position, left + 1)) ?? 0
      if (left < 0) throw new TooManyFacts(`more than ${String(maxFacts)} facts would be folded`)
    }
  }

  /** Undefined: the entity was not there. */
  async fold(entity: number, told: Told, dueAt: number): Promise<Folded | undefined> {
    const { segments, asOf } = told
    const subject = this.subject(entity)
    const placed = (await this.placedFacts(entity, told, dueAt)).filter(
      ({ fact, position }) =>
        (asOf === undefined || effectOf(fact) <= asOf) &&
        !isOfAnotherLife(fact, position, segments),
    )
    if (subject === undefined || !placed.some(({ fact }) => fact.type === 'EntityCreated')) {
      return undefined
    }
    if (asOf === undefined) return recorded(subject, placed, told)
    return valid(subject, placed, told, asOf)
  }

  private async placedFacts(
    entity: number,
    { known }: Told,
    dueAt: number,
  ): Promise<readonly PlacedFact[]> {
    const placed: PlacedFact[] = []
    for (let after = 0; ;) {
      if (performance.now() > dueAt) throw new ReadModelBehind(known.position)
      const rows = this.statements.places
        .all(entity, after, known.position, factsAtOnce)
        .map(numbersIn)
      const facts = this.facts.many(rows.map(([position = 0]) => position))
      rows.forEach(([position = 0, logTime = 0], at) => {
        const fact = facts[at] && subjectOf(facts[at])?.fact
        if (fact === undefined) return
        placed.push({ fact, position, logTime })
        after = position
      })
      if (rows.length < factsAtOnce) return placed
      await nextTurn()
    }
  }

  private subject(entity: number): Subject | undefined {
    const row = this.statements.subject.get(entity)
    if (row === undefined) return undefined
    const [externalId, createdAt] = valuesIn(row)
    const text = String(externalId)
    return {
      externalId: text,
      createdAt: Number(createdAt),
      bucketOf: (salt) => bucketOf(salt, text),
    }
  }
}

/** As the log told it. */
function recorded(subject: Subject, placed: readonly PlacedFact[], told: Told): Folded {
  const replay = replayOf(subject, told)
  const later = [...told.steps]
  for (const { fact, position, logTime } of placed) {
    for (
      let step = later[0];
      step !== undefined && step.since.position < position;
      step = later[0]
    ) {
      replay.define(step)
      later.shift()
    }
    replay.apply(fact, logTime)
  }
  for (const step of later) replay.define(step)
  const now = told.known.logTime
  replay.passTime(now)
  const periodsOf = (key: string) => replay.periodsOf(key)
  return { subject, state: replay.state, periodsOf, events: eventsOf(placed), now }
}

/** As it took effect. */
function valid(subject: Subject, placed: readonly PlacedFact[], told: Told, now: number): Folded {
  const replay = replayOf(subject, told)
  for (const { fact, at } of inEffectOrder(placed.map((one) => one.fact))) replay.apply(fact, at)
  replay.passTime(now)
  const periodsOf = (key: string) => validPeriods(replay.periodsOf(key))
  return { subject, state: replay.state, periodsOf, events: eventsOf(placed), now }
}

function replayOf(subject: Subject, { segments, steps }: Told): Replay {
  const setOf = segmentSets([segments, ...steps.map((step) => step.segments)])
  return new Replay(subject, setOf, segments)
}

function eventsOf(placed: readonly PlacedFact[]): readonly EventRecorded[] {
  return placed.flatMap(({ fact }) => (fact.type === 'EventRecorded' ? [fact] : []))
}

/** A segment by hand was empty when it was defined; what came before belongs to one that was retired. */
function isOfAnotherLife(
  fact: SubjectFact,
  position: number,
  segments: readonly DefinedSegment[],
): boolean {
  if (!isByHand(fact)) return false
  return segments.some(({ key, activeFrom }) => key === fact.data.segment && position < activeFrom)
}

function isByHand(fact: SubjectFact): fact is HandFact {
  return fact.type === 'EntityAddedToSegment' || fact.type === 'EntityRemovedFromSegment'
}

function prepare(db: Database) {
  return {
    places: prepareRows(
      db,
      `SELECT position, log_time FROM places WHERE entity = ? AND position > ? AND position <= ?
       ORDER BY position LIMIT ?`,
    ),
    count: prepareRows(
      db,
      `SELECT count(*) FROM (SELECT 1 FROM places WHERE entity = ? AND position <= ? LIMIT ?)`,
    ),
    subject: prepareRows(db, 'SELECT external_id, created_at FROM entities WHERE entity = ?'),
  }
}
