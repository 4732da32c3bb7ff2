import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'

const headerBytes = 32
const frameHeaderBytes = 24
/** Its last bit says in which byte order the checksums were made. */
const magic = 0x377f0682
/** Bytes that are read at once, about. */
const chunkBytes = 4 * 1024 * 1024

/**
 * How many pages the write-ahead log at `path` holds up to its last commit, by SQLite's own rule
 * (https://sqlite.org/fileformat2.html#walformat): a frame counts while its salts are those of the
 * header and the checksum over everything before it and itself is right; the first that does not ends
 * the log. 0 where there is no log. Read here byte by byte, and not through SQLite, because
 * to be called before SQLite opens the file. Throws what reading throws.
 */
export function committedPages(path: string): number {
  if (!existsSync(path)) return 0
  const file = openSync(path, 'r')
  try {
    return countIn(file, fstatSync(file).size)
  } finally {
    closeSync(file)
  }
}

function countIn(file: number, size: number): number {
  if (size < headerBytes) return 0
  const header = readWhole(file, 0, headerBytes)
  const bigEndian = (header.readUInt32BE(0) & 1) === 1
  const sum = new Checksum(bigEndian)
  sum.add(header, 0, 24)
  const isOurs = header.readUInt32BE(0) >>> 1 === magic >>> 1
  if (!isOurs || !sum.equals(header, 24)) return 0
  const salts = header.subarray(16, 24)
  const frameBytes = frameHeaderBytes + header.readUInt32BE(8)
  const framesAtOnce = Math.max(1, Math.floor(chunkBytes / frameBytes))
  let seen = 0
  let committed = 0
  for (let at = headerBytes; at + frameBytes <= size; at += framesAtOnce * frameBytes) {
    const frames = Math.min(framesAtOnce, Math.floor((size - at) / frameBytes))
    const chunk = readWhole(file, at, frames * frameBytes)
    for (let start = 0; start < chunk.length; start += frameBytes) {
      const frame = chunk.subarray(start, start + frameBytes)
      sum.add(frame, 0, 8)
      sum.add(frame, frameHeaderBytes, frameBytes)
      if (!salts.equals(frame.subarray(8, 16)) || !sum.equals(frame, 16)) return committed
      seen += 1
      const endsCommit = frame.readUInt32BE(4) > 0
      if (endsCommit) committed = seen
    }
  }
  return committed
}

function readWhole(file: number, at: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  let done = 0
  while (done < bytes) {
    const read = readSync(file, buffer, done, bytes - done, at + done)
    if (read === 0) throw new Error('the file became shorter while it was read')
    done += read
  }
  return buffer
}

/** The running checksum of a write-ahead log: two sums of 32 bits. */
class Checksum {
  private first = 0
  private second = 0

  constructor(private readonly bigEndian: boolean) {}

  /** Adds the bytes from `from` to `to`, a multiple of eight. */
  add(bytes: Buffer, from: number, to: number): void {
    const { bigEndian } = this
    let { first, second } = this
    for (let at = from; at < to; at += 8) {
      const left = bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
      const right = bigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)
      first = (first + left + second) >>> 0
      second = (second + right + first) >>> 0
    }
    this.first = first
    this.second = second
  }

  equals(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.first && bytes.readUInt32BE(at + 4) === this.second
  }
}
