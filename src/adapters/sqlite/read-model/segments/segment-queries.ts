import { SegmentBuilding } from '../../../../application/reading/errors.js'
import type {
  EntitySegment,
  MembersPage,
  SegmentInfo,
  VersionOfSegment,
} from '../../../../application/reading/ports/segment-queries.js'
import type { SegmentStatus } from '../../../../application/ports/served-segments.js'
import { AtAnyInstant } from '../../../../domain/segments/at-any-instant.js'
import { StateView } from '../../../../domain/segments/entity-state.js'
import { firstChange } from '../../../../domain/segments/evaluate.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { valuesIn } from '../../file/row.js'
import { timestampIn } from '../columns.js'
import type { Applied } from '../answers.js'
import { byKey } from './by-key.js'
import type { EntityRow } from './entity-rows.js'
import { digestText } from './hashes.js'
import type { KeptSegment } from './kept-segments.js'
import { liveBundle } from './bundles.js'
import type { ServedSegments } from './served-segments.js'

/** What is defined, and who is a member now. */
export class SegmentQueriesOfNow {
  private readonly members: Statement

  constructor(
    db: Database,
    private readonly projection: ServedSegments,
  ) {
    this.members = prepareRows(
      db,
      `SELECT entity, external_id, entity_id, since FROM members JOIN entities USING (entity)
       WHERE segment = ? AND entity > ? ORDER BY entity LIMIT ?`,
    )
  }

  all({ position }: Applied): readonly SegmentInfo[] {
    return this.projection.catalog.segments
      .map((segment) => this.infoOf(segment, position))
      .sort(byKey)
  }

  one(key: string, { position }: Applied): SegmentInfo | undefined {
    const segment = this.projection.catalog.defined(key)
    return segment && this.infoOf(segment, position)
  }

  versions(key: string): readonly VersionOfSegment[] | undefined {
    const versions = this.projection.catalog.versionsOf(key)
    if (versions.length === 0) return undefined
    return versions
      .map(({ segment, retiredAt }) => ({ ...definitionOf(segment), retiredAt }))
      .reverse()
  }

  page(
    { key, after = 0, limit }: { key: string; after?: number | undefined; limit: number },
    applied: Applied,
  ): MembersPage | undefined {
    if (this.projection.catalog.defined(key) === undefined) return undefined
    const { served, kept } = this.servedOf(key, applied)
    const rows = this.members.all(kept.id, after, limit + 1).map(valuesIn)
    const items = rows.slice(0, limit)
    return {
      version: served.version,
      members: kept.members,
      digest: digestText(kept.digest),
      items: items.map(([, externalId, entityId, since]) => ({
        externalId: String(externalId),
        entityId: String(entityId),
        since: timestampIn(since),
      })),
      next: rows.length > limit ? Number(items.at(-1)?.[0]) : undefined,
    }
  }

  /** By key. `isFull`: until when, too. */
  ofEntity(entity: number, applied: Applied): readonly EntitySegment[] {
    const served = this.projection.catalog.served
    for (const { key } of served) this.servedOf(key, applied)
    const row = this.projection.live.rows?.get(entity)
    if (row === undefined) return []
    return served.flatMap((segment) => this.membership(segment, row, applied)).sort(byKey)
  }

  private membership(
    { key, version, active }: DefinedSegment,
    { subject, state }: EntityRow,
    { logTime }: Applied,
  ): readonly EntitySegment[] {
    const since = state.members.get(active.id)
    if (since === undefined) return []
    const entity = new AtAnyInstant(new StateView(subject, state), this.ruleOf)
    const until = active.rule && firstChange(active.rule.node, entity, logTime)
    return [
      {
        key,
        version,
        since: timestampIn(since),
        until: until === undefined ? undefined : timestampIn(until),
      },
    ]
  }

  private readonly ruleOf = (id: string) => this.projection.live.ruleOf(id)?.node

  /** What is served here. Throws `SegmentBuilding`. */
  private servedOf(key: string, { position }: Applied) {
    const served = this.projection.catalog.servedAs(key)
    const kept = served && this.keptOf(served)
    if (served === undefined || kept === undefined) throw new SegmentBuilding(position)
    return { served, kept }
  }

  private keptOf({ active }: DefinedSegment): KeptSegment | undefined {
    const kept = this.projection.kept.get(active.id)
    return kept?.bundle === liveBundle ? kept : undefined
  }

  private infoOf(segment: DefinedSegment, head: number): SegmentInfo {
    const served = this.projection.catalog.servedAs(segment.key)
    const kept = served && this.keptOf(served)
    const isLive = served === segment && kept !== undefined
    const isDiverged = isLive && this.projection.tellings.isDiverged(segment.key)
    return {
      ...definitionOf(segment),
      status: statusOf(isLive, isDiverged),
      servingVersion: kept && served.version,
      progress: isLive ? undefined : this.progressOf(segment, head),
      members: kept?.members,
      digest: kept && digestText(kept.digest),
    }
  }

  /** What was built, and is only to be told, is all there. */
  private progressOf(segment: DefinedSegment, head: number): number {
    const progress = this.projection.builds.progressOf(segment, head)
    return progress ?? (this.keptOf(segment) === undefined ? 0 : 1)
  }
}

function definitionOf({ key, version, title, kind, rule, definedAt }: DefinedSegment) {
  return { key, version, title, kind, rule, definedAt }
}

function statusOf(isLive: boolean, isDiverged: boolean): SegmentStatus {
  if (!isLive) return 'building'
  return isDiverged ? 'diverged' : 'live'
}
