import type { Catalog } from '../../../../domain/segments/catalog.js'
import { isAfter, textOf, publishedKind } from './published-change.js'
import type { Since } from '../../../../domain/segments/timeline.js'
import type { Outbox } from './outbox.js'
import type { PlacedChange } from './entity-refold.js'
import type { Generation, Generations } from './generations.js'
import type { EntityRow } from './entity-states.js'
import type { PublicationRows } from './publication-rows.js'
import type { Publication } from './publication.js'

/** A segment whose changes are recorded. */
interface Recorded {
  readonly from: Since
  /** Where changes of a served generation are published. */
  readonly publication: Publication | undefined
}

/**
 * Records who enters and leaves segments until that is published: of what is served, and of what
 * soon will be. Of a version the changes after its definition count.
 */
export class ChangeRecorder {
  private recorded: ReadonlyMap<string, Recorded> = new Map()

  constructor(
    private readonly rows: Outbox,
    private readonly publications: PublicationRows,
  ) {}

  /** To be called when others are defined or served than before, or one has diverged. */
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

  /** Whether it is one that counts. */
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
    const { publication } = recorded
    if (publication === undefined || publication.isCompared || at >= publication.lastAt) {
      this.rows.add(generation.id, row)
    } else {
      publication.derived.add(textOf(row))
      this.publications.change(publication)
    }
  }
}
