import { atOnce } from '../../../../domain/in-pieces.js'
import type { Profile } from '../../../../domain/profile.js'
import { AtAnyInstant } from '../../../../domain/segments/membership/entity-views.js'
import {
  StateView,
  type EntityState,
  type Subject,
} from '../../../../domain/segments/membership/entity-state.js'
import { firstChange } from '../../../../domain/segments/membership/evaluate.js'
import type { Matcher } from '../../../../domain/segments/rule/matcher.js'
import { bytesIn, objectIn, timestampIn } from '../../file/row.js'
import type { Entry } from '../entity-log/block.js'
import { logHeadIn } from '../entity-log/log-blocks.js'
import type { AuditedModel, AuditedSegment } from './audited-segments.js'
import type { Fields } from './differences.js'
import type { Row } from './ordered-rows.js'

/** The source of rows for `EntityViews.of`, with one row per entity. */
export const entityRows = {
  key: ['entity', 'external_id'],
  from: `(SELECT entity, external_id, entity_id, properties, created_at, updated_at, is_full, log,
            recorded_at, counted_created_at, latest_at, last_event_at
          FROM entities LEFT JOIN entity_logs USING (entity))`,
}

/**
 * Reads the values of an entity that the audit compares. The values do not depend on the way in which rows are
 * packed.
 */
export class EntityViews {
  private readonly names: readonly string[]
  private readonly sustainedTests: readonly string[]
  private readonly matchers: readonly Matcher[]
  private readonly rules: ReadonlyMap<string, AuditedSegment['segment']['active']['rule']>

  /** The audit compares only the properties, conditions and memberships that the rules of `segments` need. */
  constructor(
    private readonly segments: readonly AuditedSegment[],
    private readonly logTime: number,
  ) {
    const rules = segments.flatMap(({ segment }) => segment.active.rule ?? [])
    const matchers = new Map<string, Matcher>()
    for (const matcher of rules.flatMap((rule) => rule.matchers)) {
      const keep = Math.max(matcher.keep, matchers.get(matcher.id)?.keep ?? 0)
      matchers.set(matcher.id, { ...matcher, keep })
    }
    this.names = rules.flatMap((rule) => [...rule.names])
    this.sustainedTests = rules.flatMap((rule) => rule.sustainedTests.map(({ id }) => id))
    this.matchers = [...matchers.values()]
    this.rules = new Map(segments.map(({ segment: { active } }) => [active.id, active.rule]))
  }

  /** Returns the compared values of an entity. Throws `TypeError` and `SyntaxError` when the rows are damaged. */
  of({ tables, segments }: AuditedModel, row: Row): Fields {
    const [entity, , , , entityId, properties, createdAt, updatedAt, isFull, log, ...times] = row
    const [recordedAt, countedCreatedAt, latestAt, lastEvent] = times
    const { eventCount, voided, lastEventAt, inOrder, changes, changesInOrder } = logHeadIn(
      lastEvent,
      bytesIn(log),
    )
    const found = segments.live.states?.get(Number(entity))
    return {
      ...profileFields({
        entityId: String(entityId),
        properties: objectIn(String(properties)),
        createdAt: timestampIn(createdAt),
        recordedAt: timestampIn(recordedAt),
        updatedAt: timestampIn(updatedAt),
        eventCount: eventCount - voided,
        lastEventAt: lastEventAt === -Infinity ? undefined : timestampIn(lastEventAt),
      }),
      'the time of its creation for rules': countedCreatedAt,
      'the own time of its latest change': latestAt,
      'its mark of a full profile': Number(isFull),
      'its number of events in order': inOrder,
      'its number of changes': changes,
      'its number of changes in order': changesInOrder,
      ...logField([...tables.logs.after(Number(entity), 0)]),
      ...(found === undefined ? {} : this.ofState(found.subject, found.state)),
    }
  }

  /**
   * Returns the compared values of a replayed state. Omits events that the rules do not need, because a
   * replayed state may contain more events than a stored state.
   */
  ofState(subject: Subject, state: EntityState): Fields {
    if (this.segments.length === 0) return {}
    const memberships = this.segments.map(({ name, segment }) => {
      const at = state.members.get(segment.active.id)
      return [
        `its membership in ${name}, in its state,`,
        at === undefined ? undefined : `since ${timestampIn(at)}`,
      ] as const
    })
    const events = this.matchers.map(({ id, keep }) => [
      id,
      [...(state.instants.get(id) ?? [])].slice(0, keep),
      [...(state.last.get(id) ?? [])],
    ])
    return {
      ...Object.fromEntries(memberships),
      'properties in its state': this.names.map((name) => state.properties.get(name)),
      'own times of properties in its state': this.names.map((name) => state.times.get(name)),
      'sustained tests in its state': this.sustainedTests.map((id) => [
        state.sustainedSince.get(id),
        state.brokenAt.get(id),
      ]),
      'events in its state': events,
      'its timer': this.dueOf(subject, state),
    }
  }

  /**
   * Returns the entity's timer as text for the comparison: `in time` if the timer is due no later than the next
   * membership change, and otherwise its instant. A later timer is a fault. An earlier timer only costs an extra
   * evaluation.
   */
  private dueOf(subject: Subject, state: EntityState): string {
    const { due } = state
    const view = new AtAnyInstant(new StateView(subject, state), (id) => this.rules.get(id)?.node)
    const changes = [...this.rules.values()].map(
      (rule) => (rule && atOnce(firstChange(rule.node, view, this.logTime))) ?? Infinity,
    )
    if (due > this.logTime && due <= Math.min(...changes)) return 'in time'
    return due === Infinity ? 'never' : timestampIn(due)
  }
}

export function profileFields(profile: Omit<Profile, 'externalId'>): Fields {
  return {
    entity_id: profile.entityId,
    properties: profile.properties,
    created_at: profile.createdAt,
    recorded_at: profile.recordedAt,
    updated_at: profile.updatedAt,
    event_count: profile.eventCount,
    last_event_at: profile.lastEventAt,
  }
}

export function logField(entries: readonly Entry[]): Fields {
  return { 'its log': entries }
}
