import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import type { LineFault, Place } from './entry.js'
import { ImportStopped } from './import-stopped.js'

/** The lines that are refused, with why, as NDJSON; there is no such file where none is. */
export class RefusedFile {
  private file: number | undefined

  /** What an earlier import left there is removed: the lines that are refused still will be again. */
  constructor(readonly path: string) {
    this.tried(() => {
      rmSync(path, { force: true })
    })
  }

  /** Throws `ImportStopped` where it cannot be written. */
  add({ line, text }: Place, fault: LineFault): void {
    this.tried(() => {
      this.file ??= openSync(this.path, 'w')
      // Unlike `writeSync`, this goes on after a short write.
      writeFileSync(this.file, `${JSON.stringify({ line, ...fault, text })}\n`)
    })
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file)
  }

  private tried(work: () => void): void {
    try {
      work()
    } catch (error) {
      const message = `refused lines cannot be written to ${this.path}: ${String(error)}`
      throw new ImportStopped(message, { cause: error })
    }
  }
}
