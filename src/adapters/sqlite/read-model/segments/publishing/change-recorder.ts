import type { Catalog } from '../../../../../domain/segments/catalog.js'
import { isAfter, publishedKind, textOf } from './published-change.js'
import type { ErasedChanges } from './erased-changes.js'
import type { Since } from '../../../../../domain/segments/timeline.js'
import type { ErasedEntities } from '../../erased-entities.js'
import type { ErasedBy } from '../../projection.js'
import type { Outbox, OutboxRow } from './outbox.js'
import type { PlacedChange } from '../backfill/entity-replay.js'
import type { Generation, Generations } from '../evaluation/generations.js'
import type { EntityRow } from '../evaluation/entity-states.js'
import type { PublicationStates, PublicationState } from './publication-state.js'

interface Recorded {
  readonly from: Since
  /** The publication state of a served version. Undefined for a pending version. */
  readonly publication: PublicationState | undefined
}

/**
 * Adds membership changes of served and pending versions to the outbox. Only changes after a version's definition
 * are added.
 */
export class ChangeRecorder {
  private recorded: ReadonlyMap<string, Recorded> = new Map()

  constructor(
    private readonly rows: Outbox,
    private readonly publications: PublicationStates,
    private readonly erased: ErasedEntities,
    private readonly published: Pick<ErasedChanges, 'has'>,
  ) {}

  refresh(catalog: Catalog, generations: Generations): void {
    const recorded = new Map<string, Recorded>()
    for (const { key, active, through: from } of catalog.served) {
      const publication = this.publications.get(key)
      if (publication?.divergence === undefined) recorded.set(active.id, { from, publication })
    }
    for (const { active, through: from } of catalog.pending) {
      if (!recorded.has(active.id)) recorded.set(active.id, { from, publication: undefined })
    }
    this.recorded = recorded
    const ids = [...recorded.keys()].flatMap((active) => generations.get(active)?.id ?? [])
    this.rows.removeOthers(new Set(ids))
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

  private add(generation: Generation, { publication }: Recorded, row: OutboxRow): void {
    if (publication?.isCompared === false && this.erased.has(row.entityId)) {
      // `Publications` did not count published changes of erased entities, so look each change up.
      if (!this.published.has(publication.key, row)) this.rows.add(generation.id, row)
    } else if (
      publication === undefined ||
      publication.isCompared ||
      row.at >= publication.lastAt
    ) {
      this.rows.add(generation.id, row)
    } else {
      publication.derived.add(textOf(row))
      this.publications.change(publication)
    }
  }
}
