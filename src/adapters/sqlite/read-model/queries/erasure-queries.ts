import type {
  ErasedEntity,
  ErasureDryRun,
  ErasureQueries,
} from '../../../../application/erasing/ports/erasure-queries.js'
import { factTable } from '../../../../application/facts/fact-table.js'
import { keyIn } from '../../../../application/facts/metadata-text.js'
import { addPlaces, noPlaces, shownPlaces } from '../../../../domain/removed-places.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import type { Entry } from '../entity-log/block.js'
import type { ReadModelTables } from '../read-model-tables.js'
import type { SegmentAnswers } from '../segments/queries/segment-answers.js'
import type { SegmentProjection } from '../segments/segment-projection.js'
import type { Applied } from './answers.js'
import type { ProfileQueries } from './profile-queries.js'

const removed = { facts: {}, keys: 0, positions: [] }

const factsAtOnce = 64

/** Answers queries about entities that are erased or whose erasure is recorded. */
export class ErasureReads {
  constructor(
    private readonly tables: ReadModelTables,
    private readonly profiles: ProfileQueries,
    private readonly memberships: SegmentAnswers,
    private readonly segments: SegmentProjection,
  ) {}

  erased({ entityId }: ErasureQueries['erasedEntity']['query']): ErasedEntity {
    const { erased } = this.tables
    const row = erased.get(entityId)
    if (row?.position === undefined) {
      const externalId = this.profiles.entityById({ entityId })?.externalId
      const name = externalId === undefined ? {} : { externalId }
      const counts = { unpublishedLeaves: 0, memberships: 0, clock: [], removed }
      return { ...name, isApplied: false, isFollowed: false, ...counts }
    }
    const { entity, position, memberships, isGone } = row
    const unpublishedLeaves =
      entity === undefined ? 0 : this.segments.publications.waitingOf(entity)
    const { places, ...counted } = erased.removedOf(entity ?? 0)
    return {
      position: String(position),
      ...this.erasedAt(position),
      isApplied: isGone,
      unpublishedLeaves,
      memberships,
      ...this.followed(entityId, entity, position),
      removed: { ...counted, positions: shownPlaces(places) },
    }
  }

  private erasedAt(position: number): Pick<ErasedEntity, 'erasedAt'> {
    const stored = this.tables.facts.stored([position]).get(position)
    const at = stored && factTable.EntityErased.read(stored)?.data.at
    return at === undefined ? {} : { erasedAt: at }
  }

  private followed(
    entityId: string,
    entity: number | undefined,
    position: number,
  ): Pick<ErasedEntity, 'isFollowed' | 'clock'> {
    const { erased, clockFloors } = this.tables
    const clock = erased.clockOf(entityId)
    if (clockFloors === undefined) return { isFollowed: true, clock }
    const isFollowed = clockFloors.isFollowed(entity, position)
    return { isFollowed, clock: [...clock, ...clockFloors.afterErasure(entity, position)] }
  }

  *dryRun(
    { externalId }: ErasureQueries['erasureDryRun']['query'],
    applied: Applied,
  ): InPieces<ErasureDryRun | undefined> {
    const { ids, logs } = this.tables
    const entity = ids.of(externalId)
    if (entity === undefined) return undefined
    logs.pending.writeOf(entity)
    const entityId = this.profiles.idOf(entity)
    if (entityId === undefined) return undefined
    const facts: Record<string, number> = {}
    const keys = new Set<string>()
    const all: number[] = []
    for (const some of this.entries(entity, applied)) {
      const positions = some.map(({ position }) => position)
      for (const position of positions) all.push(position)
      const stored = this.tables.facts.stored(positions)
      for (const { type, metadata } of stored.values()) {
        facts[type] = (facts[type] ?? 0) + 1
        const key = keyIn(metadata)
        if (key !== undefined) keys.add(key)
      }
      yield
    }
    const segments = this.memberships.currentSegments(entity).segments.map(({ key }) => key)
    const positions = shownPlaces(addPlaces(noPlaces, all))
    return { entityId, facts, keys: keys.size, positions, segments }
  }

  private *entries(entity: number, { position: until }: Applied): Generator<readonly Entry[]> {
    let some: Entry[] = []
    for (const entry of this.tables.logs.after(entity, 0)) {
      if (entry.position > until) break
      some.push(entry)
      if (some.length < factsAtOnce) continue
      yield some
      some = []
    }
    if (some.length > 0) yield some
  }
}
