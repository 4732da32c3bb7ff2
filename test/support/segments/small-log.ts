import { entityStream } from '../../../src/domain/entity.js'
import type { JsonObject } from '../../../src/domain/json.js'
import { segmentsStream } from '../../../src/domain/segments/segment-facts.js'
import { withLogTime, type AnyLogFact, type LogFact, type TimedFact } from './log-facts.js'
import type { Rule } from './rule-grammar.js'

/** A log that a test writes fact by fact. Facts are about `ada` unless another entity is given. */
export class SmallLog {
  private readonly facts: LogFact[] = []
  private readonly versions = new Map<string, number>()

  /** All facts with log time. */
  get log(): readonly TimedFact[] {
    return withLogTime(this.facts)
  }

  created(at: string, properties: JsonObject = {}, externalId = 'ada'): this {
    return this.add({ type: 'EntityCreated', data: { externalId, properties, createdAt: at } })
  }

  changed(at: string, set: JsonObject, unset: readonly string[] = [], occurredAt?: string): this {
    const occurred = occurredAt === undefined ? {} : { occurredAt }
    const data = { externalId: 'ada', set, unset, changedAt: at, ...occurred }
    return this.add({ type: 'EntityPropertiesChanged', data })
  }

  event(
    name: string,
    recordedAt: string,
    occurredAt?: string,
    properties: JsonObject = {},
    entityExternalId = 'ada',
  ): this {
    const occurred = occurredAt === undefined ? {} : { occurredAt }
    const data = { entityExternalId, name, properties, recordedAt, ...occurred }
    return this.add({ type: 'EventRecorded', data })
  }

  /** Voids an event of the log. */
  voided(at: string, eventId: string): this {
    const event = this.facts.find(({ id }) => id === eventId)
    if (event?.type !== 'EventRecorded') throw new Error(`${eventId} is no event of the log`)
    const { entityExternalId: externalId, properties: _properties, ...named } = event.data
    const data = { externalId, eventId, ...named, voidedAt: at }
    return this.add({ type: 'EventVoided', data })
  }

  /**
   * Adds a definition. Without a rule, the segment is by hand. `evaluator` is the version of the way in which rules are
   * evaluated.
   */
  defined(at: string, segment: string, rule?: Rule, evaluator = 1): this {
    const version = (this.versions.get(segment) ?? 0) + 1
    this.versions.set(segment, version)
    const kind = rule === undefined ? ('hand' as const) : ('rule' as const)
    const given = rule === undefined ? {} : { rule }
    const base = { segment, version, title: segment, kind, evaluator }
    return this.add({ type: 'SegmentDefined', data: { ...base, ...given, definedAt: at } })
  }

  retired(at: string, segment: string): this {
    const version = this.versions.get(segment) ?? 0
    return this.add({ type: 'SegmentRetired', data: { segment, version, retiredAt: at } })
  }

  put(at: string, segment: string): this {
    return this.add({ type: 'EntityAddedToSegment', data: { externalId: 'ada', segment, at } })
  }

  taken(at: string, segment: string): this {
    return this.add({ type: 'EntityRemovedFromSegment', data: { externalId: 'ada', segment, at } })
  }

  passed(now: string): this {
    return this.add({ type: 'TimePassed', data: { now } })
  }

  built(at: string, segment: string): this {
    const figures = { resolved: {}, through: '', members: 0, digest: '0000000000000000' }
    const data = { segment, version: 1, ...figures, builtAt: at }
    return this.add({ type: 'SegmentBuilt', data })
  }

  private add(fact: WithoutId<AnyLogFact>): this {
    const position = this.facts.length + 1
    const id = `01a1ff14-0000-7000-8000-${String(position).padStart(12, '0')}`
    this.facts.push({ ...fact, id, position, stream: streamOf(fact) })
    return this
  }
}

type WithoutId<F> = F extends AnyLogFact ? Omit<F, 'id'> : never

function streamOf({ data }: WithoutId<AnyLogFact>): string {
  if ('externalId' in data) return entityStream(data.externalId)
  if ('entityExternalId' in data) return entityStream(data.entityExternalId)
  return 'definedAt' in data || 'retiredAt' in data ? segmentsStream : 'of no concern'
}
