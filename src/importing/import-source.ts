// Importing: a file goes in, and requests go out.
// - In: `source.ts` reads and unpacks the file, `lines.ts` splits it into lines, and `json-lines.ts` or
//   `csv-entities.ts` converts them to entries.
// - Out: this file sends the entries through the client. It writes refused lines to a file beside the source.
import type {
  BatchOptions,
  Dossier,
  DossierError,
  JsonBatchResult,
  JsonMessageResult,
  StoredItem,
} from '../client/dossier.js'
import { CsvEntities } from './csv-entities.js'
import type { Entry, EntryReader, LineFault, Place, SendableEntry } from './entry.js'
import type { ShownProgress } from '../adapters/cli/show-progress.js'
import { ImportStopped } from './import-stopped.js'
import { JsonLines } from './json-lines.js'
import { Lines, type Line } from './lines.js'
import { RefusedFile } from './refused-file.js'
import type { Source } from './source.js'

/** The result of importing one file. */
export interface ImportAccount {
  readonly lines: number
  readonly stored: number
  /**
   * The number of lines that an earlier import stored under the same idempotency keys. Undefined for messages: for
   * them, `stored` counts these lines, too.
   */
  readonly alreadyThere: number | undefined
  readonly refused: number
  readonly milliseconds: number
}

/**
 * Imports a file, and writes refused lines to a file beside it. Memory holds only lines that are being sent. Throws
 * `ImportStopped` when the import cannot continue. Stored lines stay stored, so the same import can be run again.
 */
export async function importSource(
  source: Source,
  dossier: Sender,
  progress: ShownProgress,
  options: BatchOptions,
): Promise<ImportAccount> {
  const run = new ImportRun(source, progress, options.timeoutMs ?? 0)
  try {
    progress.begin('importing')
    for await (const result of await run.send(dossier, options)) run.answered(result)
    return run.ended()
  } finally {
    progress.end()
    run.close()
  }
}

/** The number of lines between two progress reports. */
const linesPerStep = 200

export type Sender = Pick<Dossier, 'batchJson' | 'messagesJson'>

interface UnderWay extends Place {
  /** The share of the source that was read when the line was sent. */
  readonly share: number | undefined
}

/** Flattens batches into single items. An async generator would need several promises per line. */
class Flattened<T> implements AsyncIterableIterator<T> {
  private piece: Iterator<T, undefined> = [].values()
  private readonly before: T[] = []

  constructor(private readonly pieces: AsyncGenerator<Iterator<T, undefined>>) {}

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Returns an item to the front, so that `next` yields it again. */
  putBack(one: T): void {
    this.before.push(one)
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    const before = this.before.pop()
    if (before !== undefined) return { value: before }
    try {
      for (;;) {
        const step = this.piece.next()
        if (step.done !== true) return step
        const next = await this.pieces.next()
        if (next.done === true) return { done: true, value: undefined }
        this.piece = next.value
      }
    } catch (error) {
      await this.return()
      throw error
    }
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    await this.pieces.return(undefined)
    return { done: true, value: undefined }
  }
}

class ImportRun {
  private readonly began = performance.now()
  private readonly refusedFile: RefusedFile
  /** Lines that were sent and have no result yet. Results arrive in the order of sending. */
  private readonly underWay: UnderWay[] = []
  private reader: EntryReader | undefined
  private lines = 0
  private stored = 0
  private alreadyThere = 0
  private areMessages = false
  private refused = 0
  /** The number of finished lines since the last progress report. */
  private unreported = 0

  constructor(
    private readonly source: Source,
    private readonly progress: ShownProgress,
    private readonly limitMs: number,
  ) {
    this.refusedFile = new RefusedFile(source.refusedPath)
  }

  ended(): ImportAccount {
    this.progress.done(this.unreported, this.source.share)
    const { lines, stored, refused } = this
    const alreadyThere = this.areMessages ? undefined : this.alreadyThere
    return { lines, stored, alreadyThere, refused, milliseconds: performance.now() - this.began }
  }

  close(): void {
    this.refusedFile.close()
  }

  /** Sends all entries. The first valid line decides whether they are sent as items or as messages. */
  async send(
    dossier: Sender,
    options: BatchOptions,
  ): Promise<AsyncIterable<JsonBatchResult | JsonMessageResult>> {
    const entries = new Flattened(this.pieces())
    const { value: first } = await entries.next()
    this.areMessages = first?.kind === 'message'
    if (first !== undefined) entries.putBack(first)
    return this.areMessages
      ? dossier.messagesJson(entries, options)
      : dossier.batchJson(entries, options)
  }

  private async *pieces(): AsyncGenerator<Iterator<SendableEntry, undefined>> {
    const lines = new Lines()
    for await (const piece of this.source.pieces())
      yield this.sendable(this.read(lines.take(piece)))
    yield this.sendable(this.read(lines.end()))
    const last = this.reader?.end()
    if (last !== undefined) yield this.sendable([last])
  }

  private *sendable(entries: Iterable<Entry>): Generator<SendableEntry, undefined> {
    for (const entry of entries) {
      if (entry.kind !== 'fault') {
        this.underWay.push({ line: entry.line, text: entry.text, share: this.source.share })
        yield entry
        continue
      }
      this.refuse(entry, entry.fault)
      this.isDone(this.source.share)
    }
  }

  /** Counts a result. Throws `ImportStopped` for an error that would affect every line. */
  answered({ error, ...result }: JsonBatchResult | JsonMessageResult): void {
    const place = this.underWay.shift()
    if (place === undefined) throw new Error('a result without a line')
    if (error !== undefined) {
      if (concernsAll(error)) throw this.stopped(error)
      this.refuse(place, faultIn(error))
    } else if ('data' in result && isThere(result)) this.alreadyThere += 1
    else this.stored += 1
    this.isDone(place.share)
  }

  private isDone(share: number | undefined): void {
    this.unreported += 1
    if (this.unreported < linesPerStep) return
    this.progress.done(this.unreported, share)
    this.unreported = 0
  }

  private *read(lines: readonly Line[]): Generator<Entry> {
    for (const line of lines) {
      this.lines = line.number
      this.reader ??= this.readerFor(line)
      const entry = this.reader?.take(line)
      if (entry !== undefined) yield entry
    }
  }

  /** Chooses the reader by the first line that is not blank. Returns undefined for a blank line. */
  private readerFor({ bytes, isTooLong }: Line): EntryReader | undefined {
    const { name, key } = this.source
    const begin = bytes.toString('latin1').trimStart()
    if (isTooLong || begin.startsWith('{')) return new JsonLines(key)
    return begin === '' ? undefined : new CsvEntities(name, key)
  }

  private refuse({ line, text }: Place, fault: LineFault): void {
    this.refused += 1
    this.refusedFile.add({ line, text }, fault)
  }

  private stopped(error: DossierError): ImportStopped {
    const given = error.isPassing ? ` (tried for ${String(this.limitMs / 1_000)} s)` : ''
    const again =
      'Run the same import again. Stored lines are not stored twice. ' +
      `If the file may have changed by then, add --name ${this.source.key}`
    const text = `${this.source.name}: ${error.message}${given} ${again}`
    return new ImportStopped(text, { cause: error })
  }
}

/** Returns whether the item was stored before under its idempotency key, or changed nothing. */
function isThere({ replayed, data }: Pick<StoredItem, 'data' | 'replayed'>): boolean {
  return replayed || data['updated_at'] === null
}

const codesOfAll: readonly string[] = [
  'unauthenticated',
  'forbidden',
  'route_not_found',
  'method_not_allowed',
  'unsupported_media_type',
  'unreadable_reply',
  'not_sent',
]

function concernsAll(error: DossierError): boolean {
  return error.isPassing || codesOfAll.includes(error.code)
}

function faultIn({ code, message, details, requestId, stored }: DossierError): LineFault {
  const fault = { code, message, details, request_id: requestId }
  return stored === 'unknown' ? { ...fault, stored } : fault
}
