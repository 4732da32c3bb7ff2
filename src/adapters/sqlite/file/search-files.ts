import { createReadStream, existsSync } from 'node:fs'
import { entityStream } from '../../../domain/entity.js'

const pieceBytes = 1_048_576

interface Searched {
  readonly bytes: number
  readonly found: number
}

/** How often files have the name of an entity's stream, or its id as facts have it. */
export async function searchFiles(paths: readonly string[], stream: string): Promise<Searched> {
  const needles = needlesOf(stream)
  let bytes = 0
  let found = 0
  for (const path of paths) {
    if (!existsSync(path)) continue
    const searched = await searchFile(path, needles)
    bytes += searched.bytes
    found += searched.found
  }
  return { bytes, found }
}

async function searchFile(path: string, needles: readonly Needle[]): Promise<Searched> {
  const longest = Math.max(...needles.map(({ bytes }) => bytes.length)) + 16
  let before: Buffer = Buffer.alloc(0)
  let bytes = 0
  let found = 0
  const stream: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: pieceBytes })
  for await (const piece of stream) {
    const piecesEnd = Buffer.concat([before, piece])
    for (const needle of needles) found += countIn(piecesEnd, needle, before.length)
    before = piecesEnd.subarray(Math.max(0, piecesEnd.length - longest))
    bytes += piece.length
  }
  return { bytes, found }
}

interface Needle {
  readonly bytes: Buffer
  /** Before it stands its length, as SQLite writes it in the head of a record. */
  readonly isText: boolean
}

function needlesOf(stream: string): readonly Needle[] {
  const id = JSON.stringify(stream.slice(entityStream('').length))
  return [
    { bytes: Buffer.from(stream), isText: true },
    { bytes: Buffer.from(`"externalId":${id}`), isText: false },
    { bytes: Buffer.from(`"entityExternalId":${id}`), isText: false },
  ]
}

/** Those that end behind `from`: the ones before were counted with the piece before. */
function countIn(bytes: Buffer, { bytes: needle, isText }: Needle, from: number): number {
  let count = 0
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) {
    if (at + needle.length <= from) continue
    if (!isText || isWholeText(bytes, at, needle.length)) count += 1
  }
  return count
}

/**
 * Whether the text at a place is a whole one and not the beginning of a longer one: the head of its record
 * ends with its type, which says its length, and with that of a row id at most.
 * https://sqlite.org/fileformat2.html#record_format
 */
function isWholeText(bytes: Buffer, at: number, length: number): boolean {
  const type = 2 * length + 13
  const varint = type < 128 ? [type] : [128 | (type >> 7), type & 127]
  const endsAt = (end: number) =>
    varint.every((byte, index) => bytes[end - varint.length + index] === byte)
  return endsAt(at) || ((bytes[at - 1] ?? 255) <= 9 && endsAt(at - 1))
}
