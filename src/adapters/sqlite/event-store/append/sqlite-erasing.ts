import { setTimeout as pause } from 'node:timers/promises'
import type {
  ClosedStream,
  Erasable,
  ErasurePlace,
  Removal,
  RemovalProgress,
  RemovedEntity,
  StreamClosing,
} from '../../../../application/erasing/ports/erasable.js'
import { factTable } from '../../../../application/facts/fact-table.js'
import { entityStream } from '../../../../domain/entity.js'
import { databaseFiles } from '../../file/paths.js'
import { searchFiles } from '../../file/search-files.js'
import {
  expectKind,
  type EmptiedLog,
  type ErasureRequest,
  type WriterResponse,
} from './protocol.js'

const remains: readonly string[] = [
  'Back-ups and snapshots of the files that were made before.',
  'What the file system or the drive keeps of blocks that were freed; core dumps; what the machine swapped out.',
  'Facts about others that name this entity.',
  'In the streams of segments, instants and an entity id that leads to nobody.',
]

/** An entity whose traces must be searched for. */
interface Waiting {
  readonly entityId: string
  readonly signal: AbortSignal | undefined
  readonly resolve: (places: readonly ErasurePlace[]) => void
  readonly reject: (error: unknown) => void
}

const waiting = { state: 'waiting' } as const
const untilVacuum = { state: 'until_vacuum' } as const

/** Sends the requests of erasures to the writer thread, which carries them out between appends. */
export class SqliteErasing implements Erasable {
  readonly keepsPositions = true
  readonly keepsNames = false
  readonly remains = remains
  private waiting: Waiting[] = []

  constructor(
    private readonly send: (step: ErasureRequest) => Promise<WriterResponse>,
    private readonly path: string,
    private readonly readModelFiles: readonly string[],
  ) {}

  /** Resolves at once, because the service always has the right to erase in its own file. */
  assertCloses(): Promise<void> {
    return Promise.resolve()
  }

  async close({ externalId, entityId, fact, suppress }: StreamClosing): Promise<ClosedStream> {
    const erasureId = factTable.EntityErased.read(fact)?.data.erasureId
    if (erasureId === undefined) throw new TypeError('a stream is closed by an EntityErased')
    const stream = entityStream(externalId)
    const closed = await this.step('closed', {
      kind: 'close',
      stream,
      entityId,
      erasureId,
      fact,
      suppress,
    })
    return { position: String(closed.position), replayed: closed.replayed }
  }

  /**
   * Removes the facts of an entity in several requests. After each request, it pauses for as long as the
   * request took, so that appends have priority.
   */
  async remove(
    { entityId }: Pick<Removal, 'entityId'>,
    signal: AbortSignal,
  ): Promise<RemovalProgress> {
    const begun = performance.now()
    const { facts, keys, isDone } = await this.step('removed', { kind: 'remove', entityId })
    if (!isDone) await pause(performance.now() - begun, undefined, { signal })
    return { facts, keys, positions: [], isDone }
  }

  /**
   * Searches the files for traces of an entity. Checks that are requested at the same time share one search.
   */
  check(
    { entityId }: Pick<RemovedEntity, 'entityId'>,
    signal?: AbortSignal,
  ): Promise<readonly ErasurePlace[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ entityId, signal, resolve, reject })
      if (this.waiting.length === 1) queueMicrotask(() => void this.checkWaiting())
    })
  }

  private async checkWaiting(): Promise<void> {
    const some = this.waiting
    this.waiting = []
    try {
      const signals = some.flatMap(({ signal }) => signal ?? [])
      const places = await this.placesOf(
        some.map(({ entityId }) => entityId),
        AbortSignal.any(signals),
      )
      some.forEach(({ resolve }, at) => {
        resolve(places[at] ?? [])
      })
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
  }

  private async placesOf(
    entityIds: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (readonly ErasurePlace[])[]> {
    const emptied = await this.step('emptied', { kind: 'empty_log', entityIds })
    const names = entityIds.map((entityId) => emptied.names.get(entityId))
    const { readModelFiles } = this
    const stores = await statesOf({ ...emptied, files: databaseFiles(this.path) }, names, signal)
    const reads =
      readModelFiles.length === 0
        ? undefined
        : await statesOf({ ...cleanLog, files: readModelFiles }, names, signal)
    // The search needs the former name of a stream, so the store keeps the name until no other file contains it.
    const gone = entityIds.filter(
      (_id, at) => isPurged(stores[at]) && (reads === undefined || isPurged(reads[at])),
    )
    const forgotten = new Set(await this.forgetNames(gone))
    return entityIds.map((id, at) => {
      const found = stores[at] ?? waiting
      const read = reads?.[at] ?? waiting
      // Only a vacuum removes the name from the read model. The store keeps the name until then, so the store has the
      // state `until_vacuum` too.
      const kept = read.state === 'until_vacuum' ? untilVacuum : waiting
      const store = isPurged(found) && !forgotten.has(id) ? kept : found
      const places = [{ place: 'store', ...store }]
      return reads === undefined ? places : [...places, { place: 'read model', ...read }]
    })
  }

  /**
   * Deletes the former stream names of these entities in the store, and returns the ids of these entities.
   * Returns an empty list when another process reads the WAL, because the database file then still contains the
   * old pages.
   */
  private async forgetNames(entityIds: readonly string[]): Promise<readonly string[]> {
    if (entityIds.length === 0) return []
    await this.step('released', { kind: 'forget_names', entityIds })
    const { isEmpty } = await this.step('emptied', { kind: 'empty_log', entityIds: [] })
    return isEmpty ? entityIds : []
  }

  async release(entityId: string): Promise<void> {
    await this.step('released', { kind: 'release', entityId })
  }

  private async step<Kind extends WriterResponse['kind']>(kind: Kind, step: ErasureRequest) {
    return expectKind(kind, await this.send(step))
  }
}

type State = Pick<ErasurePlace, 'state' | 'verified'>

const cleanLog = { isEmpty: true, isOverwritten: true }

interface SearchedFiles extends Pick<EmptiedLog, 'isEmpty' | 'isOverwritten'> {
  readonly files: readonly string[]
}

function isPurged(state: State | undefined): boolean {
  return state?.state === 'purged'
}

/**
 * Returns for each stream name whether these files still contain the name. A name is undefined if it was deleted,
 * or if another stream uses it now.
 *
 * A match has two possible causes:
 * - SQLite moved a row and left a copy in the free part of a page; `vacuumFile` removes such copies;
 * - another stream contains the name in a fact; `vacuumFile` keeps that fact and deletes the former name from the
 *   table `erased`.
 */
async function statesOf(
  { files, isEmpty, isOverwritten }: SearchedFiles,
  names: readonly (string | undefined)[],
  signal: AbortSignal,
): Promise<readonly State[]> {
  if (!isEmpty) return names.map(() => waiting)
  if (!isOverwritten) return names.map(() => untilVacuum)
  const streams = names.filter((name) => name !== undefined)
  const searched =
    streams.length === 0 ? undefined : await searchFiles({ paths: files, streams }, signal)
  return names.map((name) => {
    if (name === undefined) return { state: 'purged', verified: 'the stream was read' }
    if (searched === undefined || searched.found.has(name)) return untilVacuum
    const verified = `${String(searched.bytes)} bytes were searched for the id`
    return { state: 'purged', verified }
  })
}
