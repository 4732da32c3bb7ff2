import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { ErasureLedger } from '../../application/erasing/ports/erasure-ledger.js'
import { reasonOf } from '../../application/ports/log.js'
import { StoreNotOpened } from '../../application/ports/refusal.js'

const line = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * A file with an id of an entity on each line, which is appended to, flushed, and never written anew. A last
 * line that a crash cut off is passed over: whoever wrote it had not been answered. Several processes may
 * append to it: an id twice is one.
 */
export class ErasureLedgerFile implements ErasureLedger {
  private readonly ids: Set<string>

  /** Throws `StoreNotOpened`: what was erased must be known before anything is served. */
  constructor(private readonly path: string) {
    this.ids = new Set(
      textOf(path)
        .split('\n')
        .filter((id) => line.test(id)),
    )
  }

  get entityIds(): ReadonlySet<string> {
    return this.ids
  }

  add(entityIds: Iterable<string>): Promise<void> {
    const added = [...entityIds].filter((id) => !this.ids.has(id))
    if (added.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      mkdirSync(dirname(this.path), { recursive: true })
      const file = openSync(this.path, 'a', 0o600)
      try {
        // A line that was cut off is ended, so that it takes none of ours with it.
        writeSync(file, `\n${added.join('\n')}\n`)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      for (const id of added) this.ids.add(id)
      resolve()
    })
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
