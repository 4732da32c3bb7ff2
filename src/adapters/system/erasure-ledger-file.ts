import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { open, realpath, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Deadlines } from '../../application/deadlines.js'
import type { ErasureLedger } from '../../application/erasing/ports/erasure-ledger.js'
import { reasonOf } from '../../application/ports/log.js'
import { StoreNotOpened } from '../../application/ports/refusal.js'
import { makeFolder } from '../make-folder.js'

const line = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * The maximum number of attempts to write one append. After a short write, libuv writes the rest
 * and drops an error of that second write. Writing everything again reports the error.
 */
const maxWrites = 2

/**
 * A file with one entity id per line. Ids are appended and never removed. A reader skips a line that a crash cut off.
 * The append of that line never resolved, so nobody relies on it. Several processes may append to the file, so an id
 * may occur twice.
 *
 * Appends run one at a time in Node's thread pool. A mount that hangs blocks one thread of the pool, and never the main
 * thread.
 */
export class ErasureLedgerFile implements ErasureLedger {
  private readonly ids: Set<string>
  /** The ids that are still to be appended. */
  private readonly wanted = new Set<string>()
  /** The folder of a new file that may not be flushed to disk yet. */
  private readonly unflushed = new Set<string>()
  private readonly deadlines = new Deadlines()
  /** The current append. It settles at its deadline at the latest. */
  private writing: Promise<void> | undefined
  private isHanging = false
  private wasFlushed = false

  /**
   * `timeoutMs` limits the duration of an append. Throws `StoreNotOpened` when the file cannot be
   * read, because the service must know all erased ids before it serves requests.
   */
  constructor(
    private readonly path: string,
    private readonly timeoutMs: number,
  ) {
    this.ids = new Set(
      textOf(path)
        .split('\n')
        .filter((id) => line.test(id)),
    )
  }

  get entityIds(): ReadonlySet<string> {
    return this.ids
  }

  /**
   * Creates the file and its folder if they are missing, so that the start reports a file that cannot be written.
   * Throws `StoreNotOpened`.
   */
  create(): void {
    try {
      makeFolder(dirname(this.path))
      closeSync(openSync(this.path, 'a', 0o600))
    } catch (error) {
      throw new StoreNotOpened(
        `ERASE_LEDGER ${this.path} cannot be written: ${reasonOf(error)}. Name a file that this process can ` +
          'write, or set ERASE=off.',
        { cause: error },
      )
    }
  }

  async check(): Promise<void> {
    if (this.isHanging) throw new Error(hangs)
    await (this.writing ??= this.write())
  }

  async add(entityIds: Iterable<string>): Promise<void> {
    const added = [...entityIds].filter((id) => !this.ids.has(id))
    for (const id of added) this.wanted.add(id)
    while (added.some((id) => !this.ids.has(id))) {
      if (this.isHanging) throw new Error(hangs)
      await (this.writing ??= this.write())
    }
  }

  /**
   * Appends all waiting ids. If no id waits, only opens the file. Rejects at the deadline. The next append begins only
   * after this append has ended.
   */
  private write(): Promise<void> {
    const some = [...this.wanted]
    return new Promise((resolve, reject) => {
      const deadline = this.deadlines.add(this.timeoutMs, () => {
        this.isHanging = true
        reject(new Error(hangs))
      })
      const appended = this.append(some.map((id) => `${id}\n`).join('')).then(() => {
        for (const id of some) {
          this.ids.add(id)
          this.wanted.delete(id)
        }
      })
      const ended = appended.finally(() => {
        this.deadlines.drop(deadline)
        this.writing = undefined
        this.isHanging = false
      })
      ended.then(resolve, reject)
    })
  }

  private async append(lines: string): Promise<void> {
    const file = await open(this.path, 'a', 0o600)
    try {
      if (lines === '') return
      // Flushes the folder of an empty file too: an earlier process may have created the file
      // without flushing its folder.
      const mayBeNew = !this.wasFlushed || (await file.stat()).size === 0
      if (mayBeNew) this.unflushed.add(dirname(await realpath(this.path)))
      await writeWhole(file, lines)
      await file.sync()
    } finally {
      await file.close()
    }
    for (const folder of this.unflushed) {
      await flushFolder(folder)
      this.unflushed.delete(folder)
    }
    this.wasFlushed = true
  }
}

const hangs = 'the file system does not respond in time'

/**
 * Writes a line feed and then the lines. The line feed ends a line that a crash cut off. After a
 * short write, writes all lines again, because another process may have appended in between. Throws
 * the errors of the file system.
 */
async function writeWhole(file: FileHandle, lines: string): Promise<void> {
  const bytes = Buffer.from(`\n${lines}`)
  for (let writes = 0; writes < maxWrites; writes += 1) {
    const { bytesWritten } = await file.write(bytes)
    if (bytesWritten === bytes.length) return
  }
  throw new Error('the file system accepts only a part of each write')
}

async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function textOf(path: string): string {
  if (!existsSync(path)) return ''
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StoreNotOpened(`ERASE_LEDGER ${path} cannot be read: ${reasonOf(error)}`)
  }
}
