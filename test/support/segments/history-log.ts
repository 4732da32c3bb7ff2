import { changeProperties, createEntity, entityStream } from '../../../src/domain/entity.js'
import {
  recordEvent,
  voidEvent,
  type EventRecorded,
  type EventVoided,
} from '../../../src/domain/event.js'
import type { JsonObject } from '../../../src/domain/json.js'
import type { AnyLogFact, LogFact, SegmentDefined } from './log-facts.js'
import { segmentsNamedIn } from './naive-timeline.js'
import { beginning } from './random-rules.js'
import type { Rule } from './rule-grammar.js'

export const externalIds = ['ada', 'Ada', '顧客 7', '__proto__x'] as const
export const segmentKeys = ['s1', 's2', 's3', 's4', 's5'] as const

type Key = (typeof segmentKeys)[number]

const minute = 60_000

/** An action in a history. `entity` is the index of the entity. */
export type What =
  | {
      readonly what: 'profile'
      readonly entity: number
      readonly set: JsonObject
      readonly unset: readonly string[]
      /** The time between the change and its recording. Undefined: the caller gives no time. */
      readonly late?: number | undefined
    }
  | {
      readonly what: 'event'
      readonly entity: number
      readonly name: string
      readonly properties: JsonObject
      readonly late: number | undefined
    }
  | {
      readonly what: 'hand'
      readonly entity: number
      readonly key: Key
      readonly isAdded: boolean
    }
  | {
      readonly what: 'void'
      readonly entity: number
      /** The index among the events of the entity that are not voided, newest first. */
      readonly nth: number
    }
  | { readonly what: 'define'; readonly key: Key; readonly rule: Rule | undefined }
  | { readonly what: 'retire' | 'built'; readonly key: Key }
  | { readonly what: 'time' }

export interface Step {
  readonly passes: number
  readonly lag: number
  readonly step: What
}

/** A compact description of a history. */
export interface Given {
  readonly entityCount: number
  readonly steps: readonly Step[]
}

/**
 * Converts a history to a log that the service could have written. Actions that the service would refuse are
 * dropped or corrected.
 */
export function logOf({ entityCount, steps }: Given): readonly LogFact[] {
  const log = new LogWriter(entityCount)
  for (const { passes, lag: behind, step } of steps) {
    log.clock += passes
    log.write(step, new Date(log.clock - behind))
  }
  return log.facts
}

function ownTimeIn(step: What, now: Date): Date | undefined {
  const late = 'late' in step ? step.late : undefined
  return late === undefined ? undefined : new Date(now.getTime() - late)
}

class LogWriter {
  readonly facts: LogFact[] = []
  clock = beginning
  private readonly entities = new Set<string>()
  private readonly live = new Map<Key, SegmentDefined['data']>()
  private readonly versions = new Map<Key, number>()

  constructor(private readonly entityCount: number) {}

  write(step: What, now: Date): void {
    const factId = idOf(this.facts.length + 1)
    const time = now.toISOString()
    switch (step.what) {
      case 'profile':
      case 'event':
      case 'void':
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

  private writeOfEntity(step: Extract<What, { entity: number }>, factId: string, now: Date): void {
    const externalId = externalIds[step.entity % this.entityCount] ?? ''
    const add = (fact: AnyLogFact) => {
      this.add(entityStream(externalId), fact)
    }
    const occurredAt = ownTimeIn(step, now)
    if (!this.entities.has(externalId)) {
      this.entities.add(externalId)
      const given = step.what === 'profile' ? step.set : {}
      add(createEntity({ factId, externalId, properties: given, occurredAt, now }).facts[0])
    } else if (step.what === 'profile') {
      const unset = step.unset.filter((one) => !Object.hasOwn(step.set, one))
      const change = { factId, externalId, set: step.set, unset, occurredAt, now }
      add(changeProperties(change).facts[0])
    } else if (step.what === 'event') {
      const event = { factId, entityExternalId: externalId, occurredAt, now }
      add(recordEvent({ ...event, name: step.name, properties: step.properties }).facts[0])
    } else if (step.what === 'void') {
      for (const fact of this.voidOf(externalId, step.nth, factId, now)) add(fact)
    } else {
      const type = step.isAdded ? 'EntityAddedToSegment' : 'EntityRemovedFromSegment'
      add({ id: factId, type, data: { externalId, segment: step.key, at: now.toISOString() } })
    }
  }

  private voidOf(
    externalId: string,
    nth: number,
    factId: string,
    now: Date,
  ): readonly EventVoided[] {
    const found = this.eventsOf(externalId).at(-1 - nth)
    if (found === undefined) return []
    const { name, recordedAt, occurredAt } = found.data
    const event = { id: found.id, name, recordedAt, occurredAt }
    return voidEvent({ factId, externalId, event, reason: undefined, now }).facts
  }

  private eventsOf(externalId: string): readonly EventRecorded[] {
    const voided = new Set(
      this.facts.flatMap((fact) => (fact.type === 'EventVoided' ? [fact.data.eventId] : [])),
    )
    const events = this.facts.filter((fact) => fact.type === 'EventRecorded')
    return events.filter(({ id, data }) => data.entityExternalId === externalId && !voided.has(id))
  }

  /** Defines a segment. A live segment keeps its kind, and a rule refers only to live segments. */
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

  /** Adds a `SegmentBuilt` with arbitrary figures and time, because nothing may depend on them. */
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
