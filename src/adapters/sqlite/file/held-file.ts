import { closeSync, openSync } from 'node:fs'
import { identityAt } from './paths.js'

/**
 * Holds one open descriptor of a database file. When a process closes any descriptor of a file, the process
 * loses all its POSIX locks on that file (ADR 3). Another thread may have the database open and need these
 * locks, so the descriptor stays open.
 */
export class HeldFile {
  private held: { readonly identity: string | undefined; readonly descriptor: number } | undefined

  constructor(readonly path: string) {}

  /**
   * The descriptor of the file at the path. If another file is at the path now, closes the descriptor of the
   * former file and opens the new file.
   */
  get descriptor(): number {
    const identity = identityAt(this.path)
    if (this.held?.identity !== identity) this.close()
    this.held ??= { identity, descriptor: openSync(this.path, 'r') }
    return this.held.descriptor
  }

  /** Closes the descriptor. Call it only when the file was removed, or when no thread has the file open. */
  close(): void {
    const { held } = this
    this.held = undefined
    if (held !== undefined) closeSync(held.descriptor)
  }
}
