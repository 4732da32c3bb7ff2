import { randomUUID } from 'node:crypto'
import type {
  ClosedStream,
  Erasable,
  ErasurePlace,
  Removal,
  RemovalProgress,
  RemovedEntity,
  StreamClosing,
} from '../../../application/erasing/ports/erasable.js'
import { reasonOf } from '../../../application/ports/log.js'
import { Refusal } from '../../../application/ports/refusal.js'
import { Semaphore } from '../../../application/semaphore.js'
import { entityStream } from '../../../domain/entity.js'
import type { LogEvent } from '../log/read-response.js'
import { assertMayRemove, closeStream, isErasureOf, type ClosingAccess } from './close-stream.js'
import { ErasedNodes, type NodesOptions } from './erased-nodes.js'

const remains: readonly string[] = [
  'Back-ups and snapshots of the files that were made before, and a node that left the cluster, or was away from it, before it was scavenged.',
  "The name of the stream, which is the caller's id, always: in the last event of the stream, its metadata or its tombstone, in what the scavenger of each node has seen, and in links that projections of the server made.",
  'Core dumps; what the machine swapped out; what the file system or the drive keeps of blocks that were freed.',
  'Facts about others that name this entity.',
  'In the streams of segments, instants and an entity id that leads to nobody.',
]

/** The limits for concurrent checks of erasures on the nodes. Further checks wait. */
const checksAtOnce = { most: 4, queued: Infinity }

export interface ErasingOptions extends NodesOptions {
  /** Returns an object that closes the stream. Its deadline counts from this call. */
  readonly access: (stream: string) => ClosingAccess
  /** Blocks appends of this process to the stream until `work` ends. */
  readonly holding: <T>(stream: string, work: () => Promise<T>) => Promise<T>
  /**
   * Returns the first event of `$all` at or after the position. Throws when the store does not
   * answer.
   */
  readonly eventAt: (position: number) => Promise<LogEvent | undefined>
  /**
   * Runs `work`. The store does not close before `work` ends. Rejects with `store_unavailable` once
   * the store is closed.
   */
  readonly whileOpen: <T>(work: () => Promise<T>) => Promise<T>
}

/**
 * Erases entities in EventStoreDB: appends an `EntityErased` and then deletes the stream. A
 * scavenge of each node removes the facts. Only an operator can start a scavenge, so this class
 * only checks whether the facts are gone.
 */
export class EventStoreDbErasing implements Erasable {
  readonly keepsPositions = false
  readonly keepsNames = true
  readonly remains = remains
  private readonly nodes: ErasedNodes
  private readonly checks = new Semaphore(checksAtOnce)

  constructor(private readonly options: ErasingOptions) {
    this.nodes = new ErasedNodes(options)
  }

  assertCloses({ externalId, suppress }: Pick<StreamClosing, 'externalId' | 'suppress'>) {
    const { access, whileOpen } = this.options
    return whileOpen(() => assertMayRemove(access(entityStream(externalId)), suppress))
  }

  close(closing: StreamClosing) {
    return this.options.whileOpen(() => this.closeHeld(closing))
  }

  /**
   * Deletes the stream if the process stopped between the `EntityErased` and the deletion. Also
   * finds events that were stored after the `EntityErased` and before the deletion. No read model
   * has these events.
   */
  async remove(removal: Removal, signal: AbortSignal): Promise<RemovalProgress> {
    const positions = await this.options.whileOpen(() => this.endClosing(removal, signal))
    return { facts: {}, keys: 0, positions, isDone: true }
  }

  async check(
    { positions }: Pick<RemovedEntity, 'positions'>,
    signal: AbortSignal,
  ): Promise<readonly ErasurePlace[]> {
    const release = await this.checks.take('', { waitMs: Infinity })
    try {
      signal.throwIfAborted()
      return await this.options.whileOpen(() => this.nodes.placesOf(positions, signal))
    } finally {
      release()
    }
  }

  private async endClosing(
    { entityId, closedAt, suppress }: Removal,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const event = await this.options.eventAt(Number(closedAt)).catch((cause: unknown) => {
      throw new Refusal('store_unavailable', reasonOf(cause), { cause })
    })
    if (event?.commit !== Number(closedAt) || !isErasureOf(event, entityId)) return []
    const externalId = event.stream.slice(entityStream('').length)
    const fact = { ...event, id: randomUUID() }
    await this.closeHeld({ externalId, entityId, fact, suppress })
    return this.nodes.latePositions(event, signal)
  }

  private closeHeld(closing: StreamClosing): Promise<ClosedStream> {
    const { access, holding } = this.options
    const stream = entityStream(closing.externalId)
    return holding(stream, () => closeStream(closing, access(stream)))
  }

  /**
   * Always rejects: an id is blocked by the tombstone of its stream, and a tombstone is permanent.
   */
  release(): Promise<void> {
    const message = 'a stream that was removed for good never begins again'
    return Promise.reject(new Refusal('not_possible', message))
  }

  /** Closes all connections. Call this method only after all calls have ended. */
  end(): Promise<void> {
    return this.nodes.close()
  }
}
