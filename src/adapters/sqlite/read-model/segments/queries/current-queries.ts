import { atOnce, type InPieces } from '../../../../../domain/in-pieces.js'
import { JsonText } from '../../../../../domain/json.js'
import { parsePointer, valueAt } from '../../../../../domain/segments/rule/pointer.js'
import { RefusalAt } from '../../../../../application/ports/refusal.js'
import type { PageQuery } from '../../../../../application/reading/ports/query.js'
import type { EntityProfile } from '../../../../../application/reading/ports/read-model.js'
import type {
  EntitySegments,
  MembersPage,
  MembersQuery,
  SegmentInfo,
  SegmentMember,
  SegmentsPage,
  SegmentStatus,
  VersionsPage,
  VersionsQuery,
} from '../../../../../application/segments/ports/segment-queries.js'
import { AtAnyInstant } from '../../../../../domain/segments/membership/entity-views.js'
import { StateView } from '../../../../../domain/segments/membership/entity-state.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import { prepareAll, type Database, type Statements } from '../../../file/driver.js'
import { valuesIn, objectIn, timestampIn } from '../../../file/row.js'
import type { Applied, Begun } from '../../queries/answers.js'
import { itemsOfPage, rowsOfPage } from '../../queries/page-size.js'
import type { EntityRow, EntityStates } from '../evaluation/entity-states.js'
import { byKey, entitySegments, keysAndSince, type SegmentSince } from './folded-answers.js'
import { digestText } from '../hashes.js'
import type { Generation } from '../evaluation/generations.js'
import type { SegmentProjection } from '../segment-projection.js'

function membersSql(more: string): string {
  return `SELECT entity, external_id, entity_id, since${more} FROM members JOIN entities USING (entity)
    WHERE segment = ? AND entity > ? ORDER BY entity LIMIT ?`
}

const sql = { members: membersSql(''), membersWithProperties: membersSql(', properties') }

/** Answers queries about segment definitions and current members. */
export class CurrentQueries {
  private readonly statements: Statements<typeof sql>

  /** If `before` is given, the answers contain these earlier members and states instead of the current ones. */
  constructor(
    db: Database,
    private readonly projection: SegmentProjection,
    private readonly before?: MembersBefore,
  ) {
    this.statements = prepareAll(db, sql)
  }

  all(): readonly SegmentInfo[] {
    return this.projection.catalog.segments.map((segment) => this.infoOf(segment)).sort(byKey)
  }

  list({ after = '', limit }: PageQuery<string>): SegmentsPage {
    const later = this.all().filter(({ key }) => key > after)
    const { items, hasMore } = itemsOfPage(later, limit, ruleText)
    return { items, next: hasMore ? items.at(-1)?.key : undefined }
  }

  one(key: string): SegmentInfo | undefined {
    const segment = this.projection.catalog.defined(key)
    return segment && this.infoOf(segment)
  }

  versions({ key, after = Infinity, limit }: VersionsQuery): VersionsPage | undefined {
    const versions = this.projection.catalog.versionsOf(key)
    if (versions.length === 0) return undefined
    const earlier = versions
      .map(({ segment, retiredAt }) => ({ ...definitionOf(segment), retiredAt }))
      .filter(({ version }) => version < after)
      .reverse()
    const { items, hasMore } = itemsOfPage(earlier, limit, ruleText)
    return { items, next: hasMore ? items.at(-1)?.version : undefined }
  }

  page(query: MembersQuery, applied: Applied): Begun<MembersPage | undefined> {
    const { key, after = 0, limit, properties } = query
    if (this.projection.catalog.defined(key) === undefined) return undefined
    const served = this.servedOf(key)
    if (served === undefined) throw new RefusalAt('building', applied.position)
    const { segment, generation } = served
    const whole = {
      version: segment.version,
      members: generation.members,
      digest: digestText(generation.digest),
    }
    if (properties !== undefined) {
      const pointers = properties.join()
      const page = rowsOfPage({
        read: (last, most) => this.statements.membersWithProperties.all(generation.id, last, most),
        after,
        limit,
        cursorOf: ([entity]) => Number(entity),
        // Counts the bytes of the whole profile that is read, and of the pointers that each item repeats.
        jsonOf: ([, , , , profile]) => `${String(profile)}${pointers}`,
      })
      return pickedPage(whole, page, properties)
    }
    const rows = this.statements.members.all(generation.id, after, limit + 1).map(valuesIn)
    const items = rows.slice(0, limit)
    const next = rows.length > limit ? Number(items.at(-1)?.[0]) : undefined
    return { ...whole, items: items.map(memberIn), next }
  }

  ofEntity(number: number, { logTime }: Applied): EntitySegments {
    const row = this.rowOf(number)
    const { memberships, building } = this.membershipsOf(row)
    if (row === undefined) return { items: [], building }
    const entity = new AtAnyInstant(new StateView(row.subject, row.state), this.ruleOf)
    return { items: atOnce(entitySegments(memberships, entity, logTime)), building }
  }

  besideProfile(entity: number): Pick<EntityProfile, 'segments' | 'segmentsBuilding'> {
    const { memberships, building } = this.membershipsOf(this.rowOf(entity))
    return { segments: keysAndSince(memberships), segmentsBuilding: building }
  }

  private membershipsOf(row: EntityRow | undefined) {
    const memberships: SegmentSince[] = []
    const building: string[] = []
    for (const { key } of this.projection.catalog.segments) {
      const segment = this.servedOf(key)?.segment
      const since = segment && row?.state.members.get(segment.active.id)
      if (segment === undefined) building.push(key)
      else if (since !== undefined) memberships.push({ segment, since })
    }
    return { memberships, building: building.sort() }
  }

  private readonly ruleOf = (id: string) => this.projection.live.ruleOf(id)?.node

  /**
   * Returns the version that queries use, with its evaluated rule version. Returns undefined when the version
   * is not evaluated here yet.
   */
  private servedOf(key: string) {
    const segment = this.projection.catalog.servedAs(key)
    const generation = segment && this.generationOf(segment)
    return segment && generation && { segment, generation }
  }

  private generationOf({ active: { id } }: DefinedSegment): Generation | undefined {
    const { before, projection } = this
    return before === undefined ? projection.generations.built(id) : before.generations.get(id)
  }

  private rowOf(entity: number): EntityRow | undefined {
    return (this.before ?? this.projection.live).states?.get(entity)
  }

  private infoOf(segment: DefinedSegment): SegmentInfo {
    const served = this.servedOf(segment.key)
    const isLive = served?.segment === segment
    const isDiverged = isLive && this.projection.publications.isDiverged(segment.key)
    return {
      ...definitionOf(segment),
      status: statusOf(isLive, isDiverged),
      servingVersion: served?.segment.version,
      progress: isLive ? undefined : this.progressOf(segment),
      members: served?.generation.members,
      digest: served && digestText(served.generation.digest),
    }
  }

  /**
   * Returns the progress of the backfill, from 0 to 1. It is 1 while the `SegmentBuilt` of a completed backfill
   * is not published yet.
   */
  private progressOf(segment: DefinedSegment): number {
    const progress = this.projection.backfills.progressOf(segment)
    return progress ?? (this.generationOf(segment) === undefined ? 0 : 1)
  }
}

function memberIn([, externalId, entityId, since]: readonly unknown[]): SegmentMember {
  return {
    externalId: String(externalId),
    entityId: String(entityId),
    since: timestampIn(since),
  }
}

/** Copies the wanted properties of each profile into the page, one profile per piece of work. */
function* pickedPage(
  whole: Pick<MembersPage, 'version' | 'members' | 'digest'>,
  { rows, next }: { rows: readonly (readonly unknown[])[]; next: number | undefined },
  pointers: readonly string[],
): InPieces<MembersPage> {
  const places = pointers.map((pointer) => ({ pointer, steps: parsePointer(pointer) }))
  const items: SegmentMember[] = []
  for (const row of rows) {
    const profile = objectIn(String(row[4]))
    const found = places.map(({ pointer, steps }) => [pointer, valueAt(profile, steps)] as const)
    // `JsonText.of` omits undefined values.
    items.push({ ...memberIn(row), properties: JsonText.of(Object.fromEntries(found)) })
    yield
  }
  return { ...whole, items, next }
}

function definitionOf({ key, version, title, kind, rule, definedAt }: DefinedSegment) {
  return { key, version, title, kind, rule, definedAt }
}

function statusOf(isLive: boolean, isDiverged: boolean): SegmentStatus {
  if (!isLive) return 'building'
  return isDiverged ? 'diverged' : 'live'
}

interface MembersBefore {
  readonly generations: ReadonlyMap<string, Generation>
  readonly states: EntityStates | undefined
}

/**
 * Returns the current members and states as a view that later timers do not change. `committed` is a connection
 * that sees only committed rows. Call it directly after a commit, and apply no fact while the view is in use.
 */
export function membersCommitted(
  { generations, live }: SegmentProjection,
  committed: Database,
): MembersBefore {
  return { generations: generations.copy(), states: live.states?.over(committed) }
}

/**
 * Returns the rule as text, to measure the size of a definition. The other members of a definition are small.
 */
function ruleText({ rule }: Pick<DefinedSegment, 'rule'>): string {
  return rule === undefined ? '' : JSON.stringify(rule)
}
