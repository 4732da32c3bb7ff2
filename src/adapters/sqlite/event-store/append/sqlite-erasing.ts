import { setTimeout as pause } from 'node:timers/promises'
import type {
  ErasableStreams,
  ErasedPerson,
  ErasurePlace,
  RemovalProgress,
  StreamClosing,
} from '../../../../application/erasing/ports/erasable-streams.js'
import { factTable } from '../../../../application/facts/fact-table.js'
import { Refusal } from '../../../../application/ports/refusal.js'
import { entityStream } from '../../../../domain/entity.js'
import { databaseFiles } from '../../file/paths.js'
import { searchFiles } from '../../file/search-files.js'
import type { EmptiedLog, EraseResponse, EraseStream } from './protocol.js'

type Of<Kind extends EraseResponse['kind']> = Extract<EraseResponse, { readonly kind: Kind }>

const remains: readonly string[] = [
  'Back-ups and snapshots of the files that were made before.',
  'What the file system or the drive keeps of blocks that were freed; core dumps; what the machine swapped out.',
  'In the streams of segments, instants and an entity id that leads to nobody.',
]

/** Erases in the writer thread, between appends. */
export class SqliteErasing implements ErasableStreams {
  readonly keepsPlaces = true
  readonly remains = remains

  constructor(
    private readonly send: (step: EraseStream['step']) => Promise<EraseResponse>,
    private readonly path: string,
    private readonly readModelFiles: readonly string[],
  ) {}

  async close({ externalId, entityId, fact, suppress }: StreamClosing) {
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

  /** Rests as long as it worked, so that appends come first. */
  async remove(
    { entityId, closedAt }: ErasedPerson,
    signal: AbortSignal,
  ): Promise<RemovalProgress> {
    const begun = performance.now()
    const { facts, keys, isDone } = await this.step('removed', {
      kind: 'remove',
      entityId,
      closedAt: closedAt === undefined ? undefined : Number(closedAt),
    })
    if (!isDone) await pause(performance.now() - begun, undefined, { signal })
    return { facts, keys, isDone }
  }

  async check({ entityId, externalId }: ErasedPerson): Promise<readonly ErasurePlace[]> {
    const emptied = await this.step('emptied', { kind: 'empty_log', entityId })
    const name = externalId === undefined ? emptied.name : entityStream(externalId)
    const place = {
      place: 'store',
      ...(await this.stateOf(databaseFiles(this.path), name, emptied)),
    }
    const files = this.readModelFiles
    if (files.length === 0) {
      if (place.state !== 'waiting') await this.step('released', { kind: 'forget_name', entityId })
      return [place]
    }
    const ofReads = await this.stateOf(files, name, { isEmpty: true, isOverwritten: true })
    const isDone = place.state !== 'waiting' && ofReads.state !== 'waiting'
    if (isDone) await this.step('released', { kind: 'forget_name', entityId })
    return [place, { place: 'read model', ...ofReads }]
  }

  async release({ entityId }: ErasedPerson): Promise<void> {
    await this.step('released', { kind: 'release', entityId })
  }

  private async stateOf(
    files: readonly string[],
    name: string | undefined,
    { isEmpty, isOverwritten }: Pick<EmptiedLog, 'isEmpty' | 'isOverwritten'>,
  ): Promise<Pick<ErasurePlace, 'state' | 'verified'>> {
    if (!isEmpty) return { state: 'waiting' }
    if (!isOverwritten) return { state: 'until_vacuum' }
    if (name === undefined) return { state: 'purged', verified: 'the stream was read' }
    const { bytes, found } = await searchFiles(files, name)
    if (found > 0) return { state: 'waiting' }
    return { state: 'purged', verified: `${String(bytes)} bytes were searched for the id` }
  }

  private async step<Kind extends EraseResponse['kind']>(
    kind: Kind,
    step: EraseStream['step'],
  ): Promise<Of<Kind>> {
    const response = await this.send(step)
    if (isOf(response, kind)) return response
    if (response.kind === 'missing') {
      throw new Refusal('stream_missing', 'the stream has no such beginning')
    }
    if (response.kind === 'unavailable') throw new Refusal('store_unavailable', response.reason)
    const reason = 'reason' in response ? response.reason : 'another response came'
    throw new Refusal('outcome_unknown', reason)
  }
}

function isOf<Kind extends EraseResponse['kind']>(
  response: EraseResponse,
  kind: Kind,
): response is Of<Kind> {
  return response.kind === kind
}
