import type { JsonObject } from '../../../src/domain/json.js'
import { meaningOf } from '../../../src/application/facts/fact-table.js'
import { logTimeAfter } from '../../../src/domain/facts.js'
import type { EarlierFacts } from '../../../src/domain/segments/membership/conditions.js'
import type { Subject } from '../../../src/domain/segments/membership/entity-state.js'
import { Periods } from '../../../src/domain/segments/membership/periods.js'
import { Replay, segmentSets } from '../../../src/domain/segments/membership/replay.js'
import { Timeline, type PlacedDefinition } from '../../../src/domain/segments/timeline.js'
import { isOfEntity, type EntityFact, type SegmentDefined, type TimedFact } from './log-facts.js'
import { bucketOf } from './naive-rule.js'
import { ownTimeOf, recordedView, withoutVoided } from './naive-view.js'

/** A membership change by the product's own evaluation, in the form of the naive evaluation. */
export interface EngineChange {
  readonly isMember: boolean
  readonly at: number
  readonly factId: string | undefined
}

export function timelineOf(log: readonly TimedFact[]): Timeline {
  const ids = new Map<string, string>()
  return new Timeline(log.flatMap(placedDefinition), (text) => {
    const id = ids.get(text) ?? String(ids.size)
    ids.set(text, id)
    return id
  })
}

function placedDefinition(fact: TimedFact): readonly PlacedDefinition[] {
  const { position, logTime } = fact
  if (fact.type === 'SegmentDefined') return [{ fact: asDefined(fact), position, logTime }]
  return fact.type === 'SegmentRetired' ? [{ fact, position, logTime }] : []
}

/** Returns the definition with its rule as JSON. */
function asDefined({ id, type, data }: SegmentDefined) {
  const { rule, ...rest } = data
  return { id, type, data: { ...rest, ...(rule === undefined ? {} : { rule: asJson(rule) }) } }
}

function asJson(rule: object): JsonObject {
  const json: unknown = JSON.parse(JSON.stringify(rule))
  if (!isJsonObject(json)) throw new Error('a rule is an object')
  return json
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The state of one entity, and all its periods in segments so far. */
export interface Engine {
  readonly replay: Replay
  readonly periods: Periods
}

/** Replays the log for one entity by log time. Calls back after each fact. */
export function replay(
  log: readonly TimedFact[],
  timeline: Timeline,
  externalId: string,
  after: (engine: Engine, index: number) => void,
): void {
  const steps = timeline.steps.map(({ since, changes }) => {
    return { since, changes, segments: timeline.at(since.position) }
  })
  const lists = steps.map(({ segments }) => segments)
  const periods = new Periods(lists)
  const subject = subjectOf(log, externalId)
  const engine = new Replay(subject, segmentSets(lists), [], periods.onChange)
  let logTime = 0
  log.forEach((fact, index) => {
    const meaning = meaningOf(fact.type === 'SegmentDefined' ? asDefined(fact) : fact)
    logTime = logTimeAfter(logTime, meaning)
    const step = steps.find(({ since }) => since.position === fact.position)
    if (step !== undefined) engine.define({ ...step, since: { ...step.since, logTime } })
    else if (meaning.entity?.externalId === externalId) {
      const known = log.slice(0, index + 1).filter((one) => isOfEntity(one, externalId))
      engine.apply(meaning.entity, logTime, earlierIn(known))
    } else engine.passTime(logTime)
    after({ replay: engine, periods }, index)
  })
}

function subjectOf(log: readonly TimedFact[], externalId: string): Subject {
  const view = recordedView(log.filter((fact) => isOfEntity(fact, externalId)))
  return {
    externalId,
    createdAt: view?.createdAt ?? Number.NaN,
    bucketOf: (salt) => bucketOf(externalId, salt),
  }
}

/** Returns the earlier facts of the entity, as the replay reads them. `known` ends with the current fact. */
function earlierIn(known: readonly (TimedFact & EntityFact)[]): EarlierFacts {
  const before = known.slice(0, -1)
  const eventsOf = (facts: typeof known) =>
    facts.flatMap((fact) =>
      fact.type === 'EventRecorded' ? [{ id: fact.id, event: fact.data, at: ownTimeOf(fact) }] : [],
    )
  return {
    nextChange: (name, after) => nextChange(before, name, after),
    voided: ({ id }) => eventsOf(withoutVoided(before)).find((event) => event.id === id),
    newestEvents: (_name, until) =>
      eventsOf(withoutVoided(known))
        .filter(({ at }) => at <= until)
        .toReversed()
        .toSorted((left, right) => right.at - left.at),
  }
}

/**
 * Returns the earliest own time after `after` at which one of these facts sets or unsets the property. Undefined: no
 * fact does.
 */
function nextChange(
  facts: readonly (TimedFact & EntityFact)[],
  name: string,
  after: number,
): number | undefined {
  const times = facts.filter((fact) => changedNames(fact).includes(name)).map(ownTimeOf)
  return times.filter((at) => at > after).toSorted((left, right) => left - right)[0]
}

function changedNames(fact: EntityFact): readonly string[] {
  if (fact.type === 'EntityCreated') return Object.keys(fact.data.properties)
  if (fact.type !== 'EntityPropertiesChanged') return []
  return [...Object.keys(fact.data.set), ...fact.data.unset]
}

/** Returns since when the entity is a member, by the stored state. Undefined: it is not a member. */
export function engineSince(
  { replay: { state } }: Engine,
  timeline: Timeline,
  position: number,
  key: string,
): number | undefined {
  const defined = timeline.at(position).find((segment) => segment.key === key)
  return defined === undefined ? undefined : state.members.get(defined.active.id)
}

/** Returns the membership changes of the entity so far. */
export function engineChanges({ periods }: Engine, key: string): readonly EngineChange[] {
  return periods
    .of(key)
    .flatMap(({ entered, left }) => [
      { isMember: true, at: entered.at, factId: entered.cause.factId },
      ...(left === undefined ? [] : [{ isMember: false, at: left.at, factId: left.cause.factId }]),
    ])
}
