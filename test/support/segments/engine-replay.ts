import type { JsonObject } from '../../../src/domain/json.js'
import { Replay } from '../../../src/domain/segments/replay.js'
import { Timeline, type PlacedDefinition } from '../../../src/domain/segments/timeline.js'
import { isOfEntity, type TimedFact } from './log-facts.js'
import { bucketOf } from './naive-rule.js'

/** What the service's own evaluation says of one entity, asked as the judge is. */
export interface EngineFlip {
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
  if (fact.type === 'SegmentRetired') return [{ fact, position, logTime }]
  if (fact.type !== 'SegmentDefined') return []
  const { rule, ...data } = fact.data
  const given = rule === undefined ? {} : { rule: asJson(rule) }
  return [{ fact: { ...fact, data: { ...data, ...given } }, position, logTime }]
}

function asJson(rule: object): JsonObject {
  const json: unknown = JSON.parse(JSON.stringify(rule))
  if (!isJsonObject(json)) throw new Error('a rule is an object')
  return json
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Follows the log for one entity, calling back after each fact. */
export function replay(
  log: readonly TimedFact[],
  timeline: Timeline,
  externalId: string,
  after: (engine: Replay, index: number) => void,
): void {
  const created = log.find((fact) => fact.type === 'EntityCreated' && isOfEntity(fact, externalId))
  const createdAt =
    created?.type === 'EntityCreated' ? Date.parse(created.data.createdAt) : Number.NaN
  const subject = { externalId, createdAt, bucketOf: (salt: string) => bucketOf(externalId, salt) }
  const engine = new Replay(subject, timeline, [])
  log.forEach((fact, index) => {
    const step = timeline.steps.find(({ since }) => since.position === fact.position)
    if (step !== undefined) engine.define(step)
    else if (isOfEntity(fact, externalId)) engine.apply(fact, fact.logTime)
    else engine.passTime(fact.logTime)
    after(engine, index)
  })
}

/** Its enterings and leavings so far. */
export function engineFlips(engine: Replay, key: string): readonly EngineFlip[] {
  return engine
    .periodsOf(key)
    .flatMap(({ entered, left }) => [
      { isMember: true, at: entered.at, factId: entered.cause.factId },
      ...(left === undefined ? [] : [{ isMember: false, at: left.at, factId: left.cause.factId }]),
    ])
}
