import { readFileSync } from 'node:fs'
import type {
  EntityEnteredSegment,
  EntityLeftSegment,
  FactOf,
  FollowedFact,
  Member,
  SegmentBuilt,
  SegmentRetired,
} from 'dossier/client'
import type { Client } from 'pg'
import { json, recordedAtOf, withoutNull } from './values.js'

const schema = readFileSync(new URL('../schema.sql', import.meta.url), 'utf8')

/** The members of a segment as the service listed them. */
export interface MemberList {
  readonly version: number
  readonly members: readonly Member[]
}

/**
 * Writes the tables. The changes of facts and the cursor after them share a transaction, so each fact applies once.
 */
export class Mirror {
  private constructor(
    private readonly db: Client,
    /** The cursor after the last applied fact. */
    private last: string,
    /** The log time at the last applied fact: UTC with milliseconds. All times have this form, so texts compare. */
    private logTime: string,
  ) {}

  /** Opens the mirror, and creates missing tables. */
  static async open(db: Client): Promise<Mirror> {
    await db.query(schema)
    const { rows } = await db.query<{ cursor: string; log_time: string }>(
      'SELECT cursor, log_time FROM mirror',
    )
    const [{ cursor, log_time } = { cursor: 'start', log_time: '' }] = rows
    return new Mirror(db, cursor, log_time)
  }

  get cursor(): string {
    return this.last
  }

  /** Applies facts. `list` has the members of the segment when the last fact is a `SegmentBuilt`. */
  async apply(facts: readonly FollowedFact[], list: MemberList | undefined): Promise<void> {
    const cursor = facts.at(-1)?.cursor ?? this.last
    const before = this.logTime
    await this.db.query('BEGIN')
    try {
      for (const fact of facts) {
        const recordedAt = recordedAtOf(fact)
        if (recordedAt > this.logTime) this.logTime = recordedAt
        await this.change(fact, list)
      }
      await this.moveTo(cursor)
      await this.db.query('COMMIT')
    } catch (error) {
      this.logTime = before
      await this.db.query('ROLLBACK')
      throw error
    }
    this.last = cursor
  }

  private async moveTo(cursor: string): Promise<void> {
    const { rowCount } = await this.query(
      'UPDATE mirror SET cursor = $1, log_time = $3 WHERE cursor = $2',
      [cursor, this.last, this.logTime],
    )
    if (rowCount !== 1) throw new Error('another process keeps these tables, too: end one of them')
  }

  /** Applies one fact. Ignores types without a table. */
  private async change(fact: FollowedFact, list: MemberList | undefined): Promise<void> {
    switch (fact.type) {
      case 'EntityCreated':
        await this.create(fact)
        break
      case 'EntityPropertiesChanged':
        await this.changeProperties(fact)
        break
      case 'EventRecorded': {
        const { entity_external_id, name, properties, recorded_at, occurred_at } = fact.data
        await this.query('INSERT INTO events VALUES ($1, $2, $3, $4, $5, $6)', [
          fact.id,
          entity_external_id,
          name,
          json(properties),
          recorded_at,
          occurred_at ?? recorded_at,
        ])
        break
      }
      case 'EventVoided':
        await this.query('DELETE FROM events WHERE event_id = $1', [fact.data.event_id])
        break
      case 'EntityErased':
      case 'ErasedFactsRemoved':
        await this.erase(fact.data.entity_id)
        break
      default:
        await this.changeMembers(fact, list)
    }
  }

  /**
   * Applies the part of a change that wins: of each property name, the set or unset with the latest own time. Where
   * own times are equal, the later fact wins.
   */
  private async changeProperties({ data }: FactOf<'EntityPropertiesChanged'>): Promise<void> {
    const { external_id, set, unset, changed_at, occurred_at } = data
    const names = [...Object.keys(set), ...unset].map(withoutNull)
    await this.query(
      `WITH entity AS (SELECT entity_id FROM entities WHERE external_id = $1),
       winning AS (
         INSERT INTO property_times
         SELECT entity_id, name, $4 FROM entity, (SELECT DISTINCT unnest($2::text[]) AS name) AS names
         ON CONFLICT (entity_id, name) DO UPDATE SET at = excluded.at
         WHERE property_times.at <= excluded.at
         RETURNING name
       )
       UPDATE entities SET
         properties = (properties - (SELECT coalesce(array_agg(name), '{}') FROM winning)) || (
           SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each($3::jsonb)
           WHERE key IN (SELECT name FROM winning)
         ),
         updated_at = CASE WHEN latest_at <= $4 THEN $5 ELSE updated_at END,
         latest_at = greatest(latest_at, $4)
       WHERE external_id = $1`,
      [external_id, names, json(set), this.ownTime(occurred_at), occurred_at ?? changed_at],
    )
  }

  /** Returns the own time of a creation or change: log time, or an earlier time that the caller gave. */
  private ownTime(occurredAt: string | undefined): string {
    return occurredAt !== undefined && occurredAt < this.logTime ? occurredAt : this.logTime
  }

  private async changeMembers(fact: FollowedFact, list: MemberList | undefined): Promise<void> {
    switch (fact.type) {
      case 'EntityEnteredSegment':
        await this.changeMember(fact.id, 'entered', fact.data)
        break
      case 'EntityLeftSegment':
        await this.changeMember(fact.id, 'left', fact.data)
        break
      case 'SegmentBuilt':
        await this.replaceMembers(fact.data, list)
        break
      case 'SegmentRetired':
        await this.retire(fact.data)
        break
      default:
    }
  }

  /**
   * Creates an entity. First deletes rows with its external id: they belong to an erased entity. The store may have
   * removed the `EntityErased` of that entity, and its `ErasedFactsRemoved` may come later.
   */
  private async create({ id, data }: FactOf<'EntityCreated'>): Promise<void> {
    const { external_id, properties, created_at, occurred_at } = data
    const ownTime = this.ownTime(occurred_at)
    const row = [id, external_id, json(properties), occurred_at ?? created_at, ownTime]
    const insert = `INSERT INTO entities VALUES ($1, $2, $3, $4, $4, $5)
                    ON CONFLICT (external_id) DO NOTHING`
    if ((await this.query(insert, row)).rowCount !== 1) {
      await this.eraseNamed(external_id)
      await this.query(insert, row)
    }
    await this.query(
      'INSERT INTO property_times SELECT DISTINCT $1::uuid, unnest($2::text[]), $3::timestamptz',
      [id, Object.keys(properties).map(withoutNull), ownTime],
    )
  }

  private async eraseNamed(externalId: string): Promise<void> {
    const { rows } = await this.db.query<{ entity_id: string }>(
      'SELECT entity_id FROM entities WHERE external_id = $1',
      [externalId],
    )
    await this.erase(rows[0]?.entity_id)
  }

  /**
   * Deletes an entity and its events. Events are found by external id, because no other entity uses it at this
   * point of the feed.
   */
  private async erase(entityId: string | undefined): Promise<void> {
    if (entityId === undefined) return
    await this.query(
      `DELETE FROM events USING entities
       WHERE entities.entity_id = $1 AND events.external_id = entities.external_id`,
      [entityId],
    )
    for (const table of ['entities', 'property_times', 'memberships', 'membership_changes']) {
      await this.query(`DELETE FROM ${table} WHERE entity_id = $1`, [entityId])
    }
  }

  /**
   * Applies a membership change. A list that was read late may already include changes that come later in the feed.
   * The changes come in order, so the last change of each entity decides.
   */
  private async changeMember(
    factId: string,
    change: 'entered' | 'left',
    { segment, version, entity_id: entityId, at, cause }: EntityEnteredSegment | EntityLeftSegment,
  ): Promise<void> {
    await this.query(`INSERT INTO membership_changes VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, [
      factId,
      segment,
      version,
      entityId,
      change,
      at,
      cause.kind,
      cause.fact_id ?? null,
    ])
    const isOfServed = 'version <= $3 AND retired_version < $3'
    if (change === 'entered') {
      await this.query(
        `INSERT INTO memberships SELECT segment, $2, $4 FROM segments
         WHERE segment = $1 AND ${isOfServed} ON CONFLICT DO NOTHING`,
        [segment, entityId, version, at],
      )
    } else {
      await this.query(
        `DELETE FROM memberships USING segments WHERE segments.segment = memberships.segment
         AND memberships.segment = $1 AND entity_id = $2 AND ${isOfServed}`,
        [segment, entityId, version],
      )
    }
  }

  /**
   * Replaces all members by a list. A definition publishes no membership changes, so the service's list is used
   * instead.
   */
  private async replaceMembers(
    { segment, version }: SegmentBuilt,
    list: MemberList = { version, members: [] },
  ): Promise<void> {
    await this.query('INSERT INTO segments (segment) VALUES ($1) ON CONFLICT DO NOTHING', [segment])
    const { rowCount } = await this.query(
      'UPDATE segments SET version = $2 WHERE segment = $1 AND retired_version < $3',
      [segment, list.version, version],
    )
    // A version that was retired before its backfill ended is never served.
    if (rowCount !== 1) return
    await this.query('DELETE FROM memberships WHERE segment = $1', [segment])
    await this.query(
      'INSERT INTO memberships SELECT $1, * FROM unnest($2::uuid[], $3::timestamptz[])',
      [segment, list.members.map((one) => one.entity_id), list.members.map((one) => one.since)],
    )
  }

  private async retire({ segment, version }: SegmentRetired): Promise<void> {
    await this.query(
      `INSERT INTO segments (segment, retired_version) VALUES ($1, $2)
       ON CONFLICT (segment) DO UPDATE
       SET retired_version = greatest(segments.retired_version, excluded.retired_version)`,
      [segment, version],
    )
    // Otherwise the list belongs to a later definition.
    await this.query(
      `DELETE FROM memberships USING segments WHERE segments.segment = memberships.segment
       AND memberships.segment = $1 AND segments.version <= $2`,
      [segment, version],
    )
  }

  private query(text: string, values: readonly unknown[]) {
    return this.db.query(text, [...values])
  }
}
