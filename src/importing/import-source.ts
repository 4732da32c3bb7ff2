import type {
  BatchItem,
  BatchOptions,
  BatchResult,
  Dossier,
  DossierError,
  Message,
  MessageResult,
  StoredItem,
} from '../client/dossier.js'
import { CsvEntities } from './csv-entities.js'
import type { Entry, EntryReader, ItemEntry, LineFault, MessageEntry, Place } from './entry.js'
import type { ImportProgress } from './import-progress.js'
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
  progress: ImportProgress,
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

export type Sender = Pick<Dossier, 'batch' | 'messages'>

interface UnderWay extends Place {
  /** How much of the source had been read by then. */
  readonly share: number | undefined
}

type Sendable = ItemEntry | MessageEntry
type Entries = AsyncGenerator<Sendable, void, undefined>

async function* items(first: Sendable | undefined, rest: Entries): AsyncGenerator<BatchItem> {
  if (first?.kind === 'item') yield first.item
  for await (const entry of rest) if (entry.kind === 'item') yield entry.item
}

async function* messages(first: Sendable | undefined, rest: Entries): AsyncGenerator<Message> {
  if (first?.kind === 'message') yield first.message
  for await (const entry of rest) if (entry.kind === 'message') yield entry.message
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
    private readonly progress: ImportProgress,
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
  ): Promise<AsyncIterable<BatchResult | MessageResult>> {
    const entries = this.sendable()
    const { done, value } = await entries.next()
    const first = done === true ? undefined : value
    this.areMessages = first?.kind === 'message'
    return this.areMessages
      ? dossier.messages(messages(first, entries), options)
      : dossier.batch(items(first, entries), options)
  }

  private async *sendable(): Entries {
    for await (const entry of this.entries()) {
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
  answered({ error, ...result }: BatchResult | MessageResult): void {
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

  private async *entries(): AsyncGenerator<Entry> {
    const lines = new Lines()
    for await (const piece of this.source.pieces()) yield* this.read(lines.take(piece))
    yield* this.read(lines.end())
    const last = this.reader?.end()
    if (last !== undefined) yield last
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
    const again = 'Run the same import again: what is stored is not stored twice.'
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
