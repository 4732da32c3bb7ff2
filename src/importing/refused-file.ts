import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import type { LineFault, Place } from './entry.js'
import { ImportStopped } from './import-stopped.js'

/** The file of refused lines with their faults, as NDJSON. The first refused line creates the file. */
export class RefusedFile {
  private file: number | undefined

  /** Removes the file of an earlier import. Lines that are still refused will be written again. */
  constructor(readonly path: string) {
    this.stopOnError(() => {
      rmSync(path, { force: true })
    })
  }

  /** Adds a refused line. Throws `ImportStopped` when the file cannot be written. */
  add({ line, text }: Place, fault: LineFault): void {
    this.stopOnError(() => {
      this.file ??= openSync(this.path, 'w')
      // Unlike `writeSync`, `writeFileSync` continues after a partial write.
      writeFileSync(this.file, `${JSON.stringify({ line, ...fault, text })}\n`)
    })
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file)
  }

  private stopOnError(work: () => void): void {
    try {
      work()
    } catch (error) {
      const message = `refused lines cannot be written to ${this.path}: ${String(error)}`
      throw new ImportStopped(message, { cause: error })
    }
  }
}
