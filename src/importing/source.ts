import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { checkKind } from './file-kind.js'
import { ImportStopped } from './import-stopped.js'

/** The source of an import: a file or standard input. */
export interface Source {
  /** The name in messages. */
  readonly name: string
  /** The prefix of the idempotency keys of the lines. */
  readonly key: string
  /** The path of the file for refused lines. */
  readonly refusedPath: string
  /** The share of the source that has been read, 0 to 1. Undefined when the size is unknown. */
  readonly share: number | undefined
  /** Yields the text in UTF-8, unpacked and without a byte order mark. Throws `ImportStopped`. */
  pieces(): AsyncIterable<Buffer>
  close(): Promise<void>
}

const pieceBytes = 262_144

/** Standard input. It can be read only once, so its idempotency keys use a given name instead of a digest. */
export class StandardInput implements Source {
  readonly name = 'standard input'
  readonly share = undefined
  readonly refusedPath: string

  constructor(
    readonly key: string,
    private readonly stream: Readable,
  ) {
    this.refusedPath = `${key}.refused.ndjson`
  }

  pieces(): AsyncIterable<Buffer> {
    return checkedText(unpacked(this.stream), this.name)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

/**
 * A file. Without a given key, it is read twice, up to its size at opening: first for its digest, which becomes the
 * key. With a given key, it is read once, to its end.
 */
export class FileSource implements Source {
  readonly refusedPath: string
  private digest: string | undefined
  private read = 0

  private constructor(
    readonly name: string,
    private readonly file: FileHandle,
    private readonly size: number,
    private readonly givenKey: string | undefined,
  ) {
    this.refusedPath = `${name}.refused.ndjson`
  }

  /** Opens the file. Reads it for its digest unless a key is given. Throws `ImportStopped`. */
  static async open(
    path: string,
    key: string | undefined,
    progress: (share: number) => void,
  ): Promise<FileSource> {
    const file = await open(path).catch((error: unknown) => {
      throw new ImportStopped(`${path} cannot be read: ${String(error)}`, { cause: error })
    })
    const stats = await file.stat()
    if (!stats.isFile()) {
      await file.close()
      const advice = stats.isDirectory() ? 'Name the files in it' : 'Use - and --name'
      const kind = stats.isDirectory() ? 'a folder' : 'not a regular file'
      throw new ImportStopped(`${path} is ${kind}. ${advice}.`)
    }
    const source = new FileSource(path, file, stats.size, key)
    if (key === undefined) await source.makeDigest(progress)
    return source
  }

  get key(): string {
    return this.givenKey ?? this.digest ?? ''
  }

  get share(): number {
    return this.read < this.size ? this.read / this.size : 1
  }

  async *pieces(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256')
    try {
      yield* checkedText(hashed(unpacked(this.packed()), hash), this.name)
    } catch (error) {
      throw error instanceof ImportStopped ? this.stoppedAt(error.message) : error
    }
    if (this.digest === undefined) return
    const { size } = await this.file.stat()
    if (size !== this.size || hash.digest('hex') !== this.digest) {
      throw this.stoppedAt(`${this.name} changed while it was read`)
    }
  }

  /**
   * Returns the error for a file that changed. Its lines may already be stored under this key, and the changed file
   * would get another key.
   */
  private stoppedAt(fault: string): ImportStopped {
    const command = `npx dossier import ${this.name} --name ${this.key}`
    return new ImportStopped(
      `${fault}. Once the file is complete, run ${command}. A line with the same number and text is not ` +
        'stored again. A changed line is refused, or stored if it is now about another entity.',
    )
  }

  close(): Promise<void> {
    return this.file.close()
  }

  private async makeDigest(progress: (share: number) => void): Promise<void> {
    const hash = createHash('sha256')
    try {
      for await (const piece of checkedText(hashed(unpacked(this.packed()), hash), this.name)) {
        if (piece.length > 0) progress(this.share)
      }
    } catch (error) {
      await this.close()
      throw error
    }
    this.digest = hash.digest('hex')
  }

  private async *packed(): AsyncGenerator<Buffer> {
    this.read = 0
    const end = this.givenKey === undefined ? this.size : Infinity
    while (this.read < end) {
      const length = Math.min(pieceBytes, end - this.read)
      const { buffer, bytesRead } = await this.file.read({
        buffer: Buffer.allocUnsafe(length),
        position: this.read,
      })
      if (bytesRead === 0) return
      this.read += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
}

async function* hashed(
  pieces: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    hash.update(piece)
    yield piece
  }
}

/** Unpacks gzip, which its first two bytes identify. Other bytes pass unchanged. */
async function* unpacked(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const pieces = headFirst(packed)
  const { value: head } = await pieces.next()
  if (head === undefined) return
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield head
    yield* pieces
    return
  }
  const gunzip = createGunzip({ chunkSize: pieceBytes })
  yield* pipeline(Readable.from(joined(head, pieces)), gunzip, () => {
    // The callback ignores the error, because the reader of the unpacked bytes gets it.
  })
}

async function* joined(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield head
  yield* rest
}

/**
 * Checks the beginning of the text. Throws `ImportStopped` when it is neither NDJSON nor CSV, or cannot be read.
 */
async function* checkedText(pieces: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let isHead = true
  try {
    for await (const piece of headFirst(pieces)) {
      yield isHead ? textOf(piece, name) : piece
      isHead = false
    }
  } catch (error) {
    throw stopped(error, name)
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

function textOf(head: Buffer, name: string): Buffer {
  const text = head.subarray(0, 3).equals(byteOrderMark) ? head.subarray(3) : head
  checkKind(text, name)
  return text
}

const headBytes = 1_024

/** Yields the same bytes. The first piece has at least 1 KiB, if the input is that long. */
async function* headFirst(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const head: Buffer[] = []
  let size = 0
  for await (const piece of pieces) {
    if (size >= headBytes) {
      yield piece
      continue
    }
    head.push(piece)
    size += piece.length
    if (size >= headBytes) yield Buffer.concat(head)
  }
  if (size > 0 && size < headBytes) yield Buffer.concat(head)
}

/**
 * Converts system errors to `ImportStopped`. Tests the error's members, because `instanceof` fails across realms.
 */
function stopped(error: unknown, name: string): unknown {
  if (error instanceof ImportStopped || typeof error !== 'object' || error === null) return error
  if (!('code' in error && 'message' in error) || typeof error.code !== 'string') return error
  const reason = String(error.message)
  const text = error.code.startsWith('Z_')
    ? `${name} is a damaged or incomplete gzip file: ${reason}`
    : `${name} cannot be read: ${reason}`
  return new ImportStopped(text, { cause: error })
}
