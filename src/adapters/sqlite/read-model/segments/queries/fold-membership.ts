import { ownTimeOf, type EntityFact } from '../../../../../domain/facts.js'
import type { InPieces } from '../../../../../domain/in-pieces.js'
import { MatchedEvents } from '../../../../../domain/segments/membership/all-events.js'
import type {
  EntityState,
  Subject,
} from '../../../../../domain/segments/membership/entity-state.js'
import type { Matcher } from '../../../../../domain/segments/rule/matcher.js'
import {
  TimelineReplay,
  Replay,
  segmentSets,
  type EarlierFactsAt,
} from '../../../../../domain/segments/membership/replay.js'
import {
  Periods,
  validPeriods,
  type Period,
} from '../../../../../domain/segments/membership/periods.js'
import type { DefinedSegment, TimelineStep } from '../../../../../domain/segments/timeline.js'
import type { LogPrefix } from '../../log-times.js'

/** The facts and definitions to replay. */
export interface FoldSource {
  readonly prefix: LogPrefix
  /**
   * The instant up to which facts are replayed by own time, in milliseconds since 1970. Facts with later own times
   * are skipped. If undefined, all facts are replayed in log order.
   */
  readonly asOf: number | undefined
  /** The definitions that change the evaluated segments, in log order. Empty when `asOf` is given. */
  readonly steps: readonly TimelineStep[]
  readonly segments: readonly DefinedSegment[]
}

/** The result of replaying one entity. */
export interface Folded {
  readonly subject: Subject
  readonly state: EntityState
  readonly periodsOf: (key: string) => readonly Period[]
  readonly events: MatchedEvents
  /** The instant for which the result is exact, in milliseconds since 1970. */
  readonly now: number
}

interface PlacedFact {
  readonly fact: EntityFact
  readonly position: number
  /** The log time at the fact, in milliseconds since 1970. */
  readonly logTime: number
  readonly characters: number
}

/** Reads the facts of an entity a few at a time, because all of them may exceed the memory. */
export interface OwnFacts {
  /**
   * Returns the next facts of the entity after a position, in log order. Returns an empty list when no fact is
   * left.
   */
  after(position: number): readonly PlacedFact[]
  at(position: number): EntityFact
  /** Returns whether the fact at a position is an event that a fact of the prefix voids. */
  isVoided(position: number): boolean
  readonly earlierAt: EarlierFactsAt
}

export interface FoldOptions {
  readonly matchers?: Iterable<Matcher>
  /** Called with each fact, except voided events. */
  readonly onFact?: (fact: EntityFact, logTime: number) => void
}

/**
 * The number of characters of facts that are kept in memory while facts are sorted. Facts beyond this number
 * are read a second time.
 */
const maxBufferedCharacters = 8_388_608

/** Replays the facts of one entity. Returns undefined when the entity did not exist. */
export function* foldMembership(
  subject: Subject,
  own: OwnFacts,
  source: FoldSource,
  options: FoldOptions = {},
): InPieces<Folded | undefined> {
  const events = new MatchedEvents(options.matchers ?? [])
  const { asOf } = source
  return asOf === undefined
    ? yield* recorded(subject, own, counting(own, source, events, options), source, events)
    : yield* valid(
        subject,
        own,
        counting(own, source, events, options),
        { ...source, asOf },
        events,
      )
}

function* counting(
  own: OwnFacts,
  source: FoldSource,
  events: MatchedEvents,
  { onFact }: FoldOptions,
): Generator<PlacedFact> {
  for (const placed of placedIn(own)) {
    const { fact, position, logTime } = placed
    const isVoided = own.isVoided(position)
    if (!isVoided) onFact?.(fact, logTime)
    if (isOfAnotherLife(fact, position, source.segments)) continue
    if (source.asOf !== undefined && (isVoided || isLater(placed, source.asOf))) continue
    if (!isVoided) events.add(fact)
    yield placed
  }
}

function* placedIn(own: OwnFacts): Generator<PlacedFact> {
  for (let page = own.after(0); page.length > 0; page = own.after(page.at(-1)?.position ?? 0)) {
    yield* page
  }
}

/** Replays facts in log order. */
function* recorded(
  subject: Subject,
  own: OwnFacts,
  facts: Iterable<PlacedFact>,
  source: FoldSource,
  events: MatchedEvents,
): InPieces<Folded | undefined> {
  const { replay, periods } = replayOf(subject, source)
  const timeline = new TimelineReplay(replay, source.steps, own.earlierAt)
  let isThere = false
  for (const { fact, position, logTime } of facts) {
    yield* timeline.defineUntil(position)
    timeline.apply(fact, position, logTime)
    isThere ||= fact.effect.kind === 'created'
    yield
  }
  if (!isThere) return undefined
  const now = source.prefix.logTime
  yield* timeline.defineUntil(Infinity)
  const state = timeline.end(now)
  const periodsOf = (key: string) => periods.of(key)
  return { subject, state, periodsOf, events, now }
}

/** The position and the own time of a fact. The fact is undefined if it must be read again. */
interface OwnTimePlace {
  readonly position: number
  readonly at: number
  readonly fact: EntityFact | undefined
}

/**
 * Replays facts in the order of their own times. Returns undefined when no creation, change or event has an own time
 * up to `source.asOf`.
 */
function* valid(
  subject: Subject,
  own: OwnFacts,
  facts: Iterable<PlacedFact>,
  source: FoldSource & { readonly asOf: number },
  events: MatchedEvents,
): InPieces<Folded | undefined> {
  const places: OwnTimePlace[] = []
  let exists = false
  let total = 0
  for (const { fact, position, logTime, characters } of facts) {
    const at = ownTimeOf(fact, logTime)
    exists ||= makeExist.has(fact.effect.kind)
    total += characters
    places.push({ position, at, fact: total > maxBufferedCharacters ? undefined : fact })
    yield
  }
  if (!exists) return undefined
  // The sort is stable, so facts with equal own times stay in position order.
  places.sort((left, right) => left.at - right.at)
  const { replay, periods } = replayOf(subject, source, 'own time')
  for (const { position, at, fact } of places) {
    replay.apply(fact ?? own.at(position), at)
    yield
  }
  const now = source.asOf
  replay.passTime(now)
  const periodsOf = (key: string) => validPeriods(periods.of(key))
  return { subject, state: replay.state, periodsOf, events, now }
}

/** An entity exists from the earliest own time of a fact with one of these effects. */
const makeExist: ReadonlySet<string> = new Set(['created', 'properties', 'event'])

/** Returns whether a replay for `asOf` skips the fact: its own time is after `asOf`, or it is a void. */
function isLater({ fact, logTime }: PlacedFact, asOf: number): boolean {
  return fact.effect.kind === 'voided' || ownTimeOf(fact, logTime) > asOf
}

function replayOf(
  subject: Subject,
  { segments, steps }: FoldSource,
  order: 'position' | 'own time' = 'position',
) {
  const lists = [segments, ...steps.map((step) => step.segments)]
  const periods = new Periods(lists)
  const setOf = segmentSets(lists)
  return { replay: new Replay(subject, setOf, segments, periods.onChange, order), periods }
}

/**
 * Returns whether the fact adds or removes a member explicitly and has a lower position than the definition of
 * the segment. Such a fact belongs to a retired segment with the same key.
 */
function isOfAnotherLife(
  { effect }: EntityFact,
  position: number,
  segments: readonly DefinedSegment[],
): boolean {
  if (effect.kind !== 'hand') return false
  return segments.some(({ key, activeFrom }) => key === effect.segment && position < activeFrom)
}
