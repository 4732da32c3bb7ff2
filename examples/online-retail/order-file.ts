import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { CsvError, parse } from 'csv-parse'
import { z } from 'zod'
import { errorCode, errorText } from './error-text.js'
import { columns, RowInvalid, toOrderLine, type OrderLine } from './order-line.js'

/** The properties of a file, determined before its first line is sent. */
export interface OrderFile {
  readonly path: string
  /** The SHA-256 of the CSV text in hex. Independent of compression. */
  readonly digest: string
  /** The number of lines after the header. */
  readonly lines: number
}

/** The file cannot be read, or is not a file of orders. The message gives the location. */
export class OrderFileInvalid extends Error {
  readonly code = 'order_file_invalid'
  override readonly name = 'OrderFileInvalid'
}

/** The longest row. Without a limit, an unclosed quote would load the rest of the file into memory. */
const maxRowLength = 65_536

const newLine = 0x0a

const parsedRow = z.object({ info: z.object({ lines: z.number() }), record: z.unknown() })

/** Reads the file once, piece by piece. Throws `OrderFileInvalid`. */
export async function inspectOrderFile(path: string): Promise<OrderFile> {
  const hash = createHash('sha256')
  let lines = 0
  let last = newLine
  try {
    const pieces: AsyncIterable<Buffer> = contentOf(path)
    for await (const piece of pieces) {
      hash.update(piece)
      for (let at = piece.indexOf(newLine); at !== -1; at = piece.indexOf(newLine, at + 1)) lines++
      last = piece.at(-1) ?? last
    }
  } catch (error) {
    throw invalid(path, error)
  }
  if (last !== newLine) lines += 1
  return { path, digest: hash.digest('hex'), lines: Math.max(0, lines - 1) }
}

/** Throws `OrderFileInvalid` when the file cannot be read, or does not begin with orders. */
export async function assertOrderFile(path: string): Promise<void> {
  const lines = readOrderLines(await inspectOrderFile(path))
  await lines.next()
  await lines.return(undefined)
}

/**
 * Yields the lines of orders on demand, and holds only a few rows in memory. Throws `OrderFileInvalid`. At the end,
 * also throws it if the file changed since its inspection, because the idempotency keys contain the inspected
 * digest.
 */
export async function* readOrderLines({ path, digest }: OrderFile): AsyncGenerator<OrderLine> {
  const hash = createHash('sha256')
  const header: string[] = []
  const parser = parse({
    bom: true,
    columns: (found: string[]) => {
      header.push(...checkedHeader(found))
      return header
    },
    info: true,
    max_record_size: maxRowLength,
    skip_empty_lines: true,
  })
  try {
    const rows: AsyncIterable<unknown> = pipeline(
      contentOf(path),
      (source: AsyncIterable<Buffer>) => hashed(source, hash),
      parser,
      () => {
        // The reader of the parser receives the error.
      },
    )
    for await (const row of rows) yield orderLineOf(row)
  } catch (error) {
    throw invalid(path, error)
  }
  if (header.length === 0) throw new OrderFileInvalid(`${path}: line 1: the header is missing`)
  if (hash.digest('hex') !== digest) {
    throw new OrderFileInvalid(`${path} changed while it was read: run again once it is complete`)
  }
}

function contentOf(path: string): Readable {
  const file = createReadStream(path)
  if (!path.endsWith('.gz')) return file
  return pipeline(file, createGunzip(), () => {
    // The reader of the unpacked bytes receives the error.
  })
}

async function* hashed(source: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    hash.update(piece)
    yield piece
  }
}

function checkedHeader(header: readonly string[]): string[] {
  const missing = columns.filter((column) => !header.includes(column))
  if (missing.length === 0) return [...header]
  throw new OrderFileInvalid(`line 1: the header lacks ${missing.join(', ')}`)
}

function orderLineOf(row: unknown): OrderLine {
  const { info, record } = parsedRow.parse(row)
  try {
    return toOrderLine(info.lines, record)
  } catch (error) {
    if (!(error instanceof RowInvalid)) throw error
    throw new OrderFileInvalid(`line ${String(info.lines)}: ${error.message}`, { cause: error })
  }
}

function invalid(path: string, error: unknown): Error {
  if (error instanceof CsvError) {
    const line = typeof error['lines'] === 'number' ? `line ${String(error['lines'])}: ` : ''
    return new OrderFileInvalid(`${path}: ${line}${error.message}`, { cause: error })
  }
  if (error instanceof OrderFileInvalid) {
    return new OrderFileInvalid(`${path}: ${error.message}`, { cause: error })
  }
  if (errorCode(error) === undefined) return new Error(errorText(error), { cause: error })
  return new OrderFileInvalid(`${path} cannot be read: ${errorText(error)}`, { cause: error })
}
