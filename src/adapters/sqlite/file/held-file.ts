import { closeSync, openSync } from 'node:fs'
import { identityAt } from './paths.js'

/**
 * One descriptor of a database, kept open. Closing any descriptor of a file drops all POSIX locks that the process
 * has on the file, and another thread may have the database open (ADR 3).
 */
export class HeldFile {
  private held: { readonly identity: string | undefined; readonly descriptor: number } | undefined

  constructor(readonly path: string) {}

  /** Of the file that the path leads to. An earlier file at the path was removed or moved away. */
  get descriptor(): number {
    const identity = identityAt(this.path)
    if (this.held?.identity !== identity) this.close()
    this.held ??= { identity, descriptor: openSync(this.path, 'r') }
    return this.held.descriptor
  }

  /** To be called when the file was removed, or when no thread of this process has it open. */
  close(): void {
    const { held } = this
    this.held = undefined
    if (held !== undefined) closeSync(held.descriptor)
  }
}
