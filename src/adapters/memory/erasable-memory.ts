import { createHmac, randomBytes } from 'node:crypto'
import type {
  ErasableStreams,
  ErasedStream,
  ErasurePlace,
  RemovalProgress,
  StreamClosing,
} from '../../application/erasing/ports/erasable-streams.js'
import { erasedFact, isErased } from '../../application/facts/fact-format.js'
import { factTable } from '../../application/facts/fact-table.js'
import { requestIdIn } from '../../application/facts/metadata.js'
import type { LoggedFact } from '../../application/facts/ports/fact-log.js'
import { Refusal } from '../../application/ports/refusal.js'
import { entityStream } from '../../domain/entity.js'
import { erasedStream } from '../../domain/erasures.js'

export interface MemoryStream {
  readonly facts: LoggedFact[]
  readonly receipts: Map<string, unknown>
}

/** All facts of the store, and a function that adds one. */
export interface StreamsInMemory {
  readonly streams: Map<string, MemoryStream>
  /** Index 0 holds the fact at position 1. */
  readonly facts: LoggedFact[]
  add(stream: string, fact: StreamClosing['fact']): string
}

/** The most facts that one call removes. */
const maxRemoved = 200

/** Erases entities in the memory of this process. A closed stream is kept under the id of its entity. */
export class ErasableMemory implements ErasableStreams {
  readonly keepsPositions = true
  readonly remains = [
    'Core dumps of the process, and what the machine swapped out.',
    'Facts of other entities that name the erased entity.',
  ]
  private readonly secret = randomBytes(32)
  /** By entity id: the keyed hash of the stream whose reuse is blocked. Names are not kept. */
  private readonly suppressed = new Map<string, string>()

  /** The removed facts and keys of each entity so far. */
  private readonly removed = new Map<string, Omit<RemovalProgress, 'isDone'>>()

  constructor(private readonly kept: StreamsInMemory) {}

  /** Returns the id of the erased entity that blocks reuse of the stream. */
  suppressedBy(stream: string): string | undefined {
    if (this.suppressed.size === 0) return undefined
    const hash = this.hashOf(stream)
    for (const [entityId, suppressed] of this.suppressed) if (suppressed === hash) return entityId
    return undefined
  }

  close({ externalId, entityId, fact, suppress }: StreamClosing) {
    const stream = entityStream(externalId)
    const found = this.kept.streams.get(stream)
    if (found?.facts[0]?.id !== entityId) return this.closedBefore(entityId, fact)
    const position = this.kept.add(stream, fact)
    this.rename(stream, erasedStream(entityId), found)
    if (suppress) this.suppressed.set(entityId, this.hashOf(stream))
    return Promise.resolve({ position, replayed: false })
  }

  remove({ entityId }: ErasedStream): Promise<RemovalProgress> {
    const stream = this.kept.streams.get(erasedStream(entityId))
    if (stream === undefined) return Promise.resolve({ facts: {}, keys: 0, isDone: true })
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
    return Promise.resolve({ facts, keys, isDone: left.length <= maxRemoved })
  }

  check({ entityId }: ErasedStream): Promise<readonly ErasurePlace[]> {
    const facts = this.kept.streams.get(erasedStream(entityId))?.facts ?? []
    const isPurged = facts.every(isErased)
    return Promise.resolve([
      isPurged
        ? { place: 'memory', state: 'purged', verified: 'each fact was looked at' }
        : { place: 'memory', state: 'waiting' },
    ])
  }

  release({ entityId }: ErasedStream): Promise<void> {
    this.suppressed.delete(entityId)
    return Promise.resolve()
  }

  private closedBefore(entityId: string, fact: StreamClosing['fact']) {
    const erased = this.kept.streams.get(erasedStream(entityId))?.facts.find(isErasure)
    if (erased === undefined || erasureOf(erased) !== erasureOf(fact)) {
      return Promise.reject(
        new Refusal('stream_missing', 'the stream does not begin with this entity'),
      )
    }
    return Promise.resolve({ position: String(erased.position), replayed: true })
  }

  private rename(from: string, to: string, stream: MemoryStream): void {
    for (const fact of [...stream.facts]) this.replace(stream, fact, { ...fact, stream: to })
    this.kept.streams.delete(from)
    this.kept.streams.set(to, stream)
  }

  private replace(stream: MemoryStream, fact: LoggedFact, by: LoggedFact): void {
    stream.facts[stream.facts.indexOf(fact)] = by
    this.kept.facts[fact.position - 1] = by
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
