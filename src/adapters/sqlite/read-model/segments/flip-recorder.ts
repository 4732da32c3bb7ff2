import type { Catalog } from '../../../../domain/segments/catalog.js'
import { isAfter } from '../../../../domain/segments/flip-place.js'
import type { Since } from '../../../../domain/segments/timeline.js'
import type { FlipRows } from './flip-rows.js'
import type { PlacedFlip } from './entity-refold.js'
import type { Generation, Generations } from './generations.js'
import type { EntityRow } from './entity-states.js'
import type { KeptTellings } from './kept-tellings.js'
import type { Telling } from './telling.js'
import { textOf, toldKind } from './told-flip.js'

/** A segment whose flips are recorded. */
interface Recorded {
  readonly from: Since
  /** Of what is served. */
  readonly telling: Telling | undefined
}

/**
 * Records who enters and leaves segments until the log was told of it: of what is served, and of what
 * soon will be. Of a version the flips after its definition count.
 */
export class FlipRecorder {
  private recorded: ReadonlyMap<string, Recorded> = new Map()

  constructor(
    private readonly rows: FlipRows,
    private readonly tellings: KeptTellings,
  ) {}

  /** To be called when others are defined or served than before, or one has diverged. */
  refresh(catalog: Catalog, kept: Generations): void {
    const recorded = new Map<string, Recorded>()
    for (const { key, active, through: from } of catalog.served) {
      const telling = this.tellings.get(key)
      if (telling?.divergence === undefined) recorded.set(active.id, { from, telling })
    }
    for (const { active, through: from } of catalog.pending) {
      if (!recorded.has(active.id)) recorded.set(active.id, { from, telling: undefined })
    }
    this.recorded = recorded
    const ids = [...recorded.keys()].flatMap((active) => kept.get(active)?.id ?? [])
    this.rows.removeOthers(new Set(ids))
  }

  /** Whether it is one that counts. */
  isRecorded({ flip, position }: PlacedFlip): boolean {
    const recorded = this.recorded.get(flip.segment)
    return recorded !== undefined && isAfter({ at: flip.at, position }, recorded.from)
  }

  record(kept: Generation, { entity, entityId }: EntityRow, placed: PlacedFlip): void {
    const recorded = this.recorded.get(kept.active)
    if (recorded === undefined || !this.isRecorded(placed)) return
    const { flip, position } = placed
    const { at, enters, cause } = flip
    const told = { at, enters, entityId, cause: { ...cause, kind: toldKind(cause.kind) } }
    const { telling } = recorded
    if (telling === undefined || telling.isCompared || at >= telling.lastAt) {
      this.rows.add(kept.id, { ...told, position, entity })
    } else {
      telling.derived.add(textOf(told))
      this.tellings.change(telling)
    }
  }
}
