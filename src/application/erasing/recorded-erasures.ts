import { erasureAfter, erasureIdOf, isOpen, type Erasure } from '../../domain/erasure-receipts.js'
import type { ErasureFact } from '../../domain/erasures.js'

/** All erasures of the stream `erasures`, in request order, indexed for look-ups. */
export class RecordedErasures {
  private readonly all: Erasure[] = []
  private readonly indexOfId = new Map<string, number>()
  private readonly indexOfEntity = new Map<string, number>()
  private readonly openIndexes = new Set<number>()

  /** Applies the next fact of the stream. */
  add(fact: ErasureFact, requestId: string): void {
    const id = erasureIdOf(fact)
    const erasure = erasureAfter(this.get(id), { fact, requestId })
    if (erasure === undefined) return
    const index = this.indexOfId.get(id) ?? this.all.length
    this.all[index] = erasure
    this.indexOfId.set(id, index)
    if (this.ofEntity(erasure.entityId) === undefined) {
      this.indexOfEntity.set(erasure.entityId, index)
    }
    if (isOpen(erasure)) this.openIndexes.add(index)
    else this.openIndexes.delete(index)
  }

  get size(): number {
    return this.all.length
  }

  get(id: string): Erasure | undefined {
    const index = this.indexOfId.get(id)
    return index === undefined ? undefined : this.all[index]
  }

  ofEntity(entityId: string): Erasure | undefined {
    const index = this.indexOfEntity.get(entityId)
    return index === undefined ? undefined : this.all[index]
  }

  /** Returns at most `limit` erasures, starting at the index `from`. */
  page(from: number, limit: number): readonly Erasure[] {
    return this.all.slice(from, from + limit)
  }

  /**
   * Returns every erasure. There may be 100,000 erasures, so a caller must let other work run
   * during the iteration.
   */
  values(): Iterable<Erasure> {
    return this.all
  }

  get open(): readonly Erasure[] {
    const indexes = [...this.openIndexes].toSorted((left, right) => left - right)
    return indexes.flatMap((index) => this.all[index] ?? [])
  }
}
