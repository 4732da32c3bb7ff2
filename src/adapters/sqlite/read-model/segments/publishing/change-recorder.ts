import type { Catalog } from '../../../../../domain/segments/catalog.js'
import { isAfter, publishedKind } from './published-change.js'
import type { Since } from '../../../../../domain/segments/timeline.js'
import type { ErasedBy } from '../../projection.js'
import type { Outbox, OutboxRow } from './outbox.js'
import type { PlacedChange } from '../backfill/entity-replay.js'
import type { Generation, Generations } from '../evaluation/generations.js'
import type { EntityRow } from '../evaluation/entity-states.js'
import type { PublicationStates } from './publication-state.js'
import type { UnderivedChanges } from './underived-changes.js'

interface Recorded {
  readonly from: Since
  /**
   * The key of the segment if queries use this version. Undefined for a version whose `SegmentBuilt` is not
   * published yet.
   */
  readonly served: string | undefined
}

/**
 * Adds membership changes to the outbox, for the versions that queries use and for newer versions that queries
 * do not use yet. Skips changes that took effect before the version was defined.
 */
export class ChangeRecorder {
  private recorded: ReadonlyMap<string, Recorded> = new Map()

  constructor(
    private readonly outbox: Outbox,
    private readonly publications: PublicationStates,
    private readonly underived: UnderivedChanges,
  ) {}

  refresh(catalog: Catalog, generations: Generations): void {
    const recorded = new Map<string, Recorded>()
    for (const { key, active, through: from } of catalog.served) {
      const isDiverged = this.publications.get(key)?.divergence !== undefined
      if (!isDiverged) recorded.set(active.id, { from, served: key })
    }
    for (const { active, through: from } of catalog.pending) {
      if (!recorded.has(active.id)) recorded.set(active.id, { from, served: undefined })
    }
    this.recorded = recorded
    const ids = [...recorded.keys()].flatMap((active) => generations.get(active)?.id ?? [])
    this.outbox.removeOthers(new Set(ids))
  }

  isRecorded({ change, position }: PlacedChange): boolean {
    const recorded = this.recorded.get(change.segment)
    return recorded !== undefined && isAfter({ at: change.at, position }, recorded.from)
  }

  record(generation: Generation, { entity, entityId }: EntityRow, placed: PlacedChange): void {
    const recorded = this.recorded.get(generation.active)
    if (recorded === undefined || !this.isRecorded(placed)) return
    const { change, position } = placed
    const { at, enters, cause } = change
    const published = { ...cause, kind: publishedKind(cause.kind) }
    const row = { at, enters, entityId, cause: published, position, entity }
    this.add(generation, recorded, row)
  }

  /** Records that an erased entity left the segment. */
  erase(
    generation: Generation,
    { entity, entityId }: EntityRow,
    { logged: { position, id }, logTime: at }: ErasedBy,
  ): void {
    const recorded = this.recorded.get(generation.active)
    if (recorded === undefined || !isAfter({ at, position }, recorded.from)) return
    const cause = { kind: 'erased', factId: id } as const
    this.add(generation, recorded, { at, enters: false, entityId, cause, position, entity })
  }

  private add({ id, isBuilt }: Generation, { served }: Recorded, row: OutboxRow): void {
    const isPublished = !isBuilt && served !== undefined && this.underived.remove(served, row)
    if (!isPublished) this.outbox.add(id, row)
  }
}
