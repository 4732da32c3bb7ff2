import fc from 'fast-check'
import { changeProperties, createEntity, entityStream } from '../../../src/domain/entity.js'
import { recordEvent } from '../../../src/domain/event.js'
import type { JsonObject } from '../../../src/domain/json.js'
import type { AnyLogFact, LogFact, SegmentDefined } from './log-facts.js'
import { segmentsNamedIn } from './naive-timeline.js'
import {
  beginning,
  eventNames,
  notTimes,
  propertyNames,
  randomRules,
  scalars,
  times,
} from './random-rules.js'
import type { Rule } from './rule-grammar.js'

export const externalIds = ['ada', 'Ada', '顧客 7', '__proto__x'] as const
export const segmentKeys = ['s1', 's2', 's3', 's4', 's5'] as const

type Key = (typeof segmentKeys)[number]
type ExternalId = (typeof externalIds)[number]

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

/** So that many facts fall on one instant, on the end of a window, or a millisecond beside it. */
const passing = fc.constantFrom(
  ...[0, 0, 0, 0, 1, minute / 2, minute - 1, minute, minute + 1, 2 * minute, 5 * minute],
  ...[hour - 1, hour, hour + 1, day - 1, day, day + 1, 6 * day, 7 * day],
)

/** How long before its recording an event occurred; below 0: the caller's clock is ahead. */
const lateness = fc.constantFrom(
  ...[-minute, 1 - minute, -1, 0, 1, minute - 1, minute, minute + 1, 2 * minute, 4 * minute],
  ...[hour - 1, hour, hour + 1, day - 1, day, day + 1, 7 * day, 10 * day],
)

/** How far the clock of the process that records is behind the others. */
const lag = fc.constantFrom(...[0, 0, 0, 0, 0, 0, 0, 1, 500, minute])

const value = fc.oneof(
  { weight: 4, arbitrary: scalars },
  { weight: 3, arbitrary: fc.constantFrom(...times, ...notTimes) },
  { weight: 1, arbitrary: fc.array(scalars, { maxLength: 3 }) },
  { weight: 1, arbitrary: scalars.map((plan) => ({ plan })) },
)
const name = fc.constantFrom(...propertyNames)
const oddProperties: fc.Arbitrary<JsonObject> = fc.dictionary(name, value, {
  maxKeys: 2,
  noNullPrototype: true,
})
/** What most rules ask for, more often than not. */
const properties: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.record(
      {
        plan: fc.constantFrom('free', 'paid'),
        n: fc.nat({ max: 3 }),
        when: fc.constantFrom(...times),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddProperties }),
  )
  .map(([usual, odd]) => ({ ...usual, ...odd }))

type What =
  | {
      readonly what: 'profile'
      readonly entity: ExternalId
      readonly set: JsonObject
      readonly unset: readonly string[]
    }
  | {
      readonly what: 'event'
      readonly entity: ExternalId
      readonly name: string
      readonly properties: JsonObject
      readonly late: number | undefined
    }
  | {
      readonly what: 'hand'
      readonly entity: ExternalId
      readonly key: Key
      readonly isAdded: boolean
    }
  | { readonly what: 'define'; readonly key: Key; readonly rule: Rule | undefined }
  | { readonly what: 'retire' | 'built'; readonly key: Key }
  | { readonly what: 'time' }

interface Step {
  readonly passes: number
  readonly lag: number
  readonly step: What
}

const entity = fc.constantFrom('ada', 'ada', 'ada', 'ada', 'Ada', 'Ada', ...externalIds)
const key = fc.constantFrom(...segmentKeys)

/** A segment may name those before it: no cycles. */
const definitions: readonly fc.Arbitrary<What>[] = segmentKeys.map((one, index) =>
  fc
    .option(randomRules(segmentKeys.slice(0, index)), { nil: undefined, freq: index === 0 ? 2 : 8 })
    .map((rule) => ({ what: 'define' as const, key: one, rule })),
)

const what: fc.Arbitrary<What> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('profile' as const),
      entity,
      set: properties,
      unset: fc.uniqueArray(name, { maxLength: 1 }),
    }),
  },
  {
    weight: 18,
    arbitrary: fc.record({
      what: fc.constant('event' as const),
      entity,
      name: fc.constantFrom('buy', 'buy', ...eventNames),
      properties,
      late: fc.option(lateness, { nil: undefined, freq: 2 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant('hand' as const),
      entity,
      key: fc.constantFrom('s1', 's1', 's1', ...segmentKeys),
      isAdded: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.oneof(...definitions) },
  { weight: 1, arbitrary: key.map((one) => ({ what: 'retire' as const, key: one })) },
  { weight: 1, arbitrary: key.map((one) => ({ what: 'built' as const, key: one })) },
  { weight: 4, arbitrary: fc.constant({ what: 'time' as const }) },
)

const steps: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.tuple(...definitions),
    fc.constantFrom(0, 2, 4, definitions.length),
    fc.array(fc.record({ passes: passing, lag, step: what }), { maxLength: 70, size: 'max' }),
  )
  .map(([defined, atFirst, later]) => [
    ...defined.slice(0, atFirst).map((step) => ({ passes: 0, lag: 0, step })),
    ...later,
  ])

/**
 * Logs such as the service writes: what it would refuse is left out or made right. Clocks of those who
 * record differ, so that recorded later does not mean a later time.
 */
export const randomHistories: fc.Arbitrary<readonly LogFact[]> = steps.map(logOf)

/** The same, of processes whose clocks agree. */
export const historiesOfOneClock: fc.Arbitrary<readonly LogFact[]> = steps.map((given) =>
  logOf(given.map((step) => ({ ...step, lag: 0 }))),
)

function logOf(given: readonly Step[]): readonly LogFact[] {
  const log = new LogWriter()
  for (const { passes, lag: behind, step } of given) {
    log.clock += passes
    log.write(step, new Date(log.clock - behind))
  }
  return log.facts
}

class LogWriter {
  readonly facts: LogFact[] = []
  clock = beginning
  private readonly entities = new Set<string>()
  private readonly live = new Map<Key, SegmentDefined['data']>()
  private readonly versions = new Map<Key, number>()

  write(step: What, now: Date): void {
    const factId = idOf(this.facts.length + 1)
    const time = now.toISOString()
    switch (step.what) {
      case 'profile':
      case 'event':
      case 'hand':
        this.writeOfEntity(step, factId, now)
        return
      case 'define':
        this.define(step.key, step.rule, factId, time)
        return
      case 'retire':
        this.retire(step.key, factId, time)
        return
      case 'built':
        this.built(step.key, factId)
        return
      case 'time':
        this.add('dossier-clock', { id: factId, type: 'TimePassed', data: { now: time } })
    }
  }

  private writeOfEntity(
    step: Extract<What, { entity: ExternalId }>,
    factId: string,
    now: Date,
  ): void {
    const externalId = step.entity
    const add = (fact: AnyLogFact) => {
      this.add(entityStream(externalId), fact)
    }
    if (!this.entities.has(externalId)) {
      this.entities.add(externalId)
      const given = step.what === 'profile' ? step.set : {}
      add(createEntity({ factId, externalId, properties: given, now }).facts[0])
    } else if (step.what === 'profile') {
      const unset = step.unset.filter((one) => !Object.hasOwn(step.set, one))
      add(changeProperties({ factId, externalId, set: step.set, unset, now }).facts[0])
    } else if (step.what === 'event') {
      const { late } = step
      const occurredAt = late === undefined ? undefined : new Date(now.getTime() - late)
      const event = { factId, entityExternalId: externalId, occurredAt, now }
      add(recordEvent({ ...event, name: step.name, properties: step.properties }).facts[0])
    } else {
      const type = step.isAdded ? 'EntityAddedToSegment' : 'EntityRemovedFromSegment'
      add({ id: factId, type, data: { externalId, segment: step.key, at: now.toISOString() } })
    }
  }

  /** While a segment is live its kind stays; a rule names live segments alone. */
  private define(segment: Key, given: Rule | undefined, id: string, definedAt: string): void {
    const before = this.live.get(segment)
    const isByHand = before === undefined ? given === undefined : before.kind === 'hand'
    const rule = isByHand ? undefined : this.withLiveNames(given ?? before?.rule)
    const version = (this.versions.get(segment) ?? 0) + 1
    const data: SegmentDefined['data'] = {
      segment,
      version,
      title: `Title ${String(version)}`,
      kind: isByHand ? 'hand' : 'rule',
      ...(rule === undefined ? {} : { rule }),
      evaluator: 1,
      definedAt,
    }
    this.versions.set(segment, version)
    this.live.set(segment, data)
    this.add('segments', { id, type: 'SegmentDefined', data })
  }

  private withLiveNames(rule: Rule | undefined): Rule {
    if (rule === undefined) return { everyone: true }
    if ('all' in rule) return { all: rule.all.map((part) => this.withLiveNames(part)) }
    if ('any' in rule) return { any: rule.any.map((part) => this.withLiveNames(part)) }
    if ('not' in rule) return { not: this.withLiveNames(rule.not) }
    if (!('segment' in rule)) return rule
    const isLive = segmentKeys.some((one) => one === rule.segment && this.live.has(one))
    return isLive ? rule : { everyone: true }
  }

  private retire(segment: Key, id: string, retiredAt: string): void {
    const before = this.live.get(segment)
    if (before === undefined) return
    const others = [...this.live.values()].flatMap(({ rule }) => rule ?? [])
    if (others.some((rule) => segmentsNamedIn(rule).includes(segment))) return
    this.live.delete(segment)
    const data = { segment, version: before.version, retiredAt }
    this.add('segments', { id, type: 'SegmentRetired', data })
  }

  /** Its figures are made up, and its instant is one that no clock has told: nothing follows from it. */
  private built(segment: Key, id: string): void {
    const before = this.live.get(segment)
    if (before === undefined) return
    const data = {
      segment,
      version: before.version,
      resolved: {},
      through: this.facts.at(-1)?.id ?? id,
      members: 0,
      digest: '0'.repeat(16),
      builtAt: new Date(this.clock + minute).toISOString(),
    }
    this.add(`members-${segment}`, { id, type: 'SegmentBuilt', data })
  }

  private add(stream: string, fact: AnyLogFact): void {
    const position = (this.facts.at(-1)?.position ?? 0) + 1 + (this.facts.length % 3)
    this.facts.push({ ...fact, stream, position })
  }
}

function idOf(n: number): string {
  return `01a1ff14-0000-7000-8000-${String(n).padStart(12, '0')}`
}
