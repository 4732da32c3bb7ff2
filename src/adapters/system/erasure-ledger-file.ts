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
 * A file with an entity id on each line. Lines are appended and flushed, and never rewritten. A truncated
 * last line is skipped, because its erasure was not acknowledged. Several processes may append, and repeated
 * ids count once.
 */
export class ErasureLedgerFile implements ErasureLedger {
  private readonly ids: Set<string>

  /**
   * Throws `StoreNotOpened` when the file cannot be read: erased entities must be known before anything is
   * served.
   */
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
        // The leading line feed ends a truncated line, so that it does not swallow a new one.
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
