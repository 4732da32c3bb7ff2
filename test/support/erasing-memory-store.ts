import { createHmac, randomBytes } from 'node:crypto'
import {
  MemoryEventStore,
  type MemoryStream,
} from '../../src/adapters/memory/memory-event-store.js'
import type {
  ClosedStream,
  Erasable,
  ErasurePlace,
  RemovalProgress,
  RemovedEntity,
  Removal,
  StreamClosing,
} from '../../src/application/erasing/ports/erasable.js'
import { erasedFact, isErased } from '../../src/application/facts/fact-format.js'
import { factTable } from '../../src/application/facts/fact-table.js'
import { requestIdIn } from '../../src/application/facts/metadata.js'
import type { LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import { Refusal, StreamErased } from '../../src/application/ports/refusal.js'
import type { Append, Receipt } from '../../src/application/recording/ports/event-store.js'
import { entityStream } from '../../src/domain/entity.js'
import { erasedStream } from '../../src/domain/erasures.js'

/** The most facts that one call removes. */
const maxRemoved = 200

/**
 * A store in memory that erases, for tests of the layers above the store. Closing a stream renames it: the new name
 * contains the entity's id.
 */
export class ErasingMemoryStore extends MemoryEventStore {
  override readonly erasable: Erasable = {
    keepsPositions: true,
    keepsNames: false,
    remains: ['Core dumps of the process.'],
    assertCloses: () => Promise.resolve(),
    close: (closing) => this.closeStream(closing),
    remove: (removal) => Promise.resolve(this.remove(removal)),
    check: (removed) => Promise.resolve(this.checkPlaces(removed)),
    release: (entityId) => {
      this.suppressed.delete(entityId)
      return Promise.resolve()
    },
  }
  private readonly secret = randomBytes(32)
  /**
   * The keyed hashes of the stream names that are blocked from reuse, by entity id. The names themselves are not kept.
   */
  private readonly suppressed = new Map<string, string>()
  /** The removed facts and keys of each entity so far. */
  private readonly removed = new Map<string, Pick<RemovalProgress, 'facts' | 'keys'>>()

  protected override write(append: Append): Receipt {
    const erased = this.streams.has(append.stream) ? undefined : this.suppressedBy(append.stream)
    if (erased !== undefined) throw new StreamErased(erased)
    return super.write(append)
  }

  private suppressedBy(stream: string): string | undefined {
    if (this.suppressed.size === 0) return undefined
    const hash = this.hashOf(stream)
    for (const [entityId, suppressed] of this.suppressed) if (suppressed === hash) return entityId
    return undefined
  }

  private closeStream(closing: StreamClosing): Promise<ClosedStream> {
    const { externalId, entityId, fact, suppress } = closing
    const stream = entityStream(externalId)
    const found = this.streams.get(stream)
    if (found?.facts[0]?.id !== entityId) return this.closedBefore(entityId, fact)
    const { position } = this.add({ stream, facts: [fact] }, found)
    this.rename(stream, erasedStream(entityId), found)
    if (suppress) this.suppressed.set(entityId, this.hashOf(stream))
    return Promise.resolve({ position, replayed: false })
  }

  private remove({ entityId }: Removal): RemovalProgress {
    const stream = this.streams.get(erasedStream(entityId))
    if (stream === undefined) return { facts: {}, keys: 0, positions: [], isDone: true }
    const requestId = requestIdIn(stream.facts.find(isErasure)?.metadata ?? '') ?? entityId
    const removed = this.removed.get(entityId) ?? { facts: {}, keys: 0 }
    const facts: Record<string, number> = { ...removed.facts }
    const keys = removed.keys + stream.receipts.size
    stream.receipts.clear()
    const left = stream.facts.filter((fact) => !isErased(fact))
    for (const fact of left.slice(0, maxRemoved)) {
      facts[fact.type] = (facts[fact.type] ?? 0) + 1
      this.replace(stream, fact, { ...fact, ...erasedFact(fact, requestId) })
    }
    this.removed.set(entityId, { facts, keys })
    return { facts, keys, positions: [], isDone: left.length <= maxRemoved }
  }

  private checkPlaces({ entityId }: Pick<RemovedEntity, 'entityId'>): readonly ErasurePlace[] {
    const facts = this.streams.get(erasedStream(entityId))?.facts ?? []
    return [
      facts.every(isErased)
        ? { place: 'memory', state: 'purged', verified: 'each fact was read' }
        : { place: 'memory', state: 'waiting' },
    ]
  }

  private closedBefore(entityId: string, fact: StreamClosing['fact']): Promise<ClosedStream> {
    const erased = this.streams.get(erasedStream(entityId))?.facts.find(isErasure)
    if (erased === undefined || erasureOf(erased) !== erasureOf(fact)) {
      return Promise.reject(
        new Refusal('stream_missing', 'the stream does not begin with this entity'),
      )
    }
    return Promise.resolve({ position: String(erased.position), replayed: true })
  }

  private rename(from: string, to: string, stream: MemoryStream): void {
    for (const fact of [...stream.facts]) this.replace(stream, fact, { ...fact, stream: to })
    this.streams.delete(from)
    this.streams.set(to, stream)
  }

  private replace(stream: MemoryStream, fact: LoggedFact, by: LoggedFact): void {
    stream.facts[stream.facts.indexOf(fact)] = by
    this.facts[fact.position - 1] = by
  }

  private hashOf(stream: string): string {
    return createHmac('sha256', this.secret).update(stream).digest('hex')
  }
}

function isErasure({ type }: LoggedFact): boolean {
  return type === factTable.EntityErased.type
}

function erasureOf(fact: StreamClosing['fact']): string | undefined {
  return factTable.EntityErased.read(fact)?.data.erasureId
}
