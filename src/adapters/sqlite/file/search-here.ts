import { createReadStream, existsSync } from 'node:fs'
import { entityStream } from '../../../domain/entity.js'

// The child process of a search loads this file at each search, so this file imports no schemas of facts.

const pieceBytes = 1_048_576

export interface Search {
  readonly paths: readonly string[]
  /** The stream names of the entities to search for. */
  readonly streams: readonly string[]
  /** The members of facts that contain the external id of an entity. */
  readonly idMembers: readonly string[]
}

export interface Searched {
  readonly bytes: number
  /** The number of matches for each entity, by stream name. Entities without matches are absent. */
  readonly found: ReadonlyMap<string, number>
}

/**
 * Reads the files once, in this process. Counts the stream names of the entities in the files, and the ids of
 * the entities in the JSON form that facts contain.
 */
export async function searchHere({ paths, streams, idMembers }: Search): Promise<Searched> {
  const search = new NameSearch(streams, idMembers)
  let bytes = 0
  for (const path of paths) {
    if (existsSync(path)) bytes += await searchFile(path, search)
  }
  return { bytes, found: search.found }
}

async function searchFile(path: string, search: NameSearch): Promise<number> {
  let before: Buffer = Buffer.alloc(0)
  let bytes = 0
  const stream: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: pieceBytes })
  for await (const piece of stream) {
    const piecesEnd = Buffer.concat([before, piece])
    search.count(piecesEnd, before.length)
    before = piecesEnd.subarray(Math.max(0, piecesEnd.length - search.longest))
    bytes += piece.length
  }
  return bytes
}

const quote = 0x22
const backslash = 0x5c

const streamPrefix = Buffer.from(entityStream(''))

/** Returns bytes as a text with one character per byte, so that they can be compared and used as map keys. */
const textOf = (bytes: Buffer) => bytes.toString('latin1')

class NameSearch {
  readonly found = new Map<string, number>()
  /**
   * The length of the longest possible match, plus the bytes before a match that the search reads. Successive
   * pieces of a file overlap by this length.
   */
  readonly longest: number
  /** The searched streams, by the bytes of their name and by the bytes of their id as JSON. */
  private readonly byName = new Map<string, string>()
  private readonly byId = new Map<string, string>()
  private readonly longestId: number
  /** The JSON text directly before the external id of an entity in a fact. */
  private readonly idPrefixes: readonly Buffer[]

  constructor(streams: Iterable<string>, idMembers: readonly string[]) {
    this.idPrefixes = idMembers.map((member) => Buffer.from(`"${member}":`))
    for (const stream of streams) {
      const id = JSON.stringify(stream.slice(streamPrefix.length))
      this.byName.set(textOf(Buffer.from(stream)), stream)
      this.byId.set(textOf(Buffer.from(id)), stream)
    }
    const lengthOf = (texts: Iterable<string>) =>
      Math.max(0, ...[...texts].map(({ length }) => length))
    this.longestId = lengthOf(this.byId.keys())
    this.longest = Math.max(lengthOf(this.byName.keys()), this.longestId) + 32
  }

  /**
   * Counts the matches that end after index `from`. The matches that end before this index were counted with
   * the previous piece of the file.
   */
  count(bytes: Buffer, from: number): void {
    for (const prefix of this.idPrefixes) {
      for (const at of placesOf(bytes, prefix)) this.countId(bytes, at + prefix.length, from)
    }
    for (const at of placesOf(bytes, streamPrefix)) this.countName(bytes, at, from)
  }

  private countId(bytes: Buffer, at: number, from: number): void {
    const end = endOfText(bytes, at, at + this.longestId)
    if (end > from) this.add(this.byId.get(textOf(bytes.subarray(at, end))))
  }

  private countName(bytes: Buffer, at: number, from: number): void {
    for (const length of lengthsBefore(bytes, at)) {
      const end = at + length
      if (length > this.longest || end > bytes.length || end <= from) continue
      this.add(this.byName.get(textOf(bytes.subarray(at, end))))
    }
  }

  private add(stream: string | undefined): void {
    if (stream !== undefined) this.found.set(stream, (this.found.get(stream) ?? 0) + 1)
  }
}

function* placesOf(bytes: Buffer, needle: Buffer): Generator<number> {
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) yield at
}

/**
 * Returns the end index of the JSON string that begins at index `at`, or 0 when the string is too long or
 * truncated.
 */
function endOfText(bytes: Buffer, at: number, until: number): number {
  for (let next = at + 1; next < Math.min(until, bytes.length); next += 1) {
    if (bytes[next] === backslash) next += 1
    else if (bytes[next] === quote) return next + 1
  }
  return 0
}

/**
 * Returns the possible lengths of a text that begins at index `at`. SQLite writes the types of a row's values
 * before the values, and the type of a text contains its length. The type of a name is directly before the name. In
 * an index, the type of the row id is between the type of the name and the name. The lengths distinguish a name
 * from a longer name with the same beginning. https://sqlite.org/fileformat2.html#record_format
 */
function lengthsBefore(bytes: Buffer, at: number): readonly number[] {
  const ends = (bytes[at - 1] ?? 255) <= 9 ? [at, at - 1] : [at]
  const types = ends.flatMap((end) => {
    const [high = 0, low = 0] = [bytes[end - 2], bytes[end - 1]]
    return high > 127 ? [low, ((high & 127) << 7) | low] : [low]
  })
  return types.filter((type) => type > 13 && type % 2 === 1).map((type) => (type - 13) / 2)
}
