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

/** What an import did with one file. */
export interface ImportAccount {
  readonly lines: number
  readonly stored: number
  /** Stored before, under the same keys; undefined of messages, where `stored` has both. */
  readonly alreadyThere: number | undefined
  readonly refused: number
  readonly milliseconds: number
}

/**
 * Sends what is in a file; refused lines go into a file beside it. No more of it is held than what is
 * under way. Throws `ImportStopped` where it cannot go on: what was stored by then is stored, and the same
 * import again goes on from there.
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

/** Between two looks at the clock. */
const linesPerStep = 200

export type Sender = Pick<Dossier, 'batchJson' | 'messagesJson'>

interface UnderWay extends Place {
  /** How much of the source had been read by then. */
  readonly share: number | undefined
}

/** One by one what comes in pieces. An async generator would take several promises for each line. */
class Flattened<T> implements AsyncIterableIterator<T> {
  private piece: Iterator<T, undefined> = [].values()
  private readonly before: T[] = []

  constructor(private readonly pieces: AsyncGenerator<Iterator<T, undefined>>) {}

  [Symbol.asyncIterator](): this {
    return this
  }

  /** It comes again next. */
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
  /** Sent, and without a result yet: results come in the order of what was sent. */
  private readonly underWay: UnderWay[] = []
  private reader: EntryReader | undefined
  private lines = 0
  private stored = 0
  private alreadyThere = 0
  private areMessages = false
  private refused = 0
  /** Lines that are done, and progress was not reported of. */
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

  /** All of a file goes one way: that of the first line that is no fault. */
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

  /** Throws `ImportStopped` where the same would happen to every line. */
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

  /** By the first line that is not blank; undefined for one that is. */
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
      'Run the same import again: what is stored is not stored twice. ' +
      `If the file may have changed by then, add --name ${this.source.key}`
    const text = `${this.source.name}: ${error.message}${given} ${again}`
    return new ImportStopped(text, { cause: error })
  }
}

/** Stored before under its key, or a change that had nothing to change. */
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
