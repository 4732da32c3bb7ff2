import type { Database } from '../../file/driver.js'
import type { OpenFiles } from '../../file/open-files.js'
import type { QueuedAppend } from './flat-appends.js'
import type { ErasedStep, WriteFailure, WrittenGroup } from './group-outcome.js'
import type { GroupWriter } from './group-writer.js'
import type { StreamResponse } from './protocol.js'
import type { LoadedStep } from './stream-erasing.js'

/**
 * Wraps `GroupWriter`, and checks before and after each transaction that the files of the store are in place.
 * If a file is missing before the transaction, the write is refused and nothing is stored. If a file is missing
 * after the transaction, the outcome is unknown: the removed file contains the facts, and somebody may restore
 * the file.
 */
export class WatchedWriter {
  constructor(
    private readonly writer: GroupWriter,
    private readonly files: OpenFiles,
  ) {}

  get db(): Database {
    return this.writer.db
  }

  write(group: readonly QueuedAppend[]): WrittenGroup {
    const before = this.files.recentTrouble()
    if (before !== undefined) {
      const none = { facts: 0, seconds: 0, logPages: 0 }
      return { ...none, outcomes: failed(group, { kind: 'unavailable', reason: before }) }
    }
    const written = this.writer.write(group)
    const after = this.files.recentTrouble()
    if (after === undefined) return written
    return { ...written, facts: 0, outcomes: failed(group, { kind: 'unknown', reason: after }) }
  }

  erase(step: LoadedStep): ErasedStep {
    const before = this.files.recentTrouble()
    if (before !== undefined) {
      return { response: { kind: 'unavailable', reason: before }, logPages: 0 }
    }
    const erased = this.writer.erase(step)
    const after = this.files.recentTrouble()
    if (after === undefined) return erased
    return { ...erased, response: { kind: 'unknown', reason: after } }
  }

  /** Returns the reason why writes fail at present, or undefined when writes succeed. */
  check(): string | undefined {
    return this.files.trouble() ?? this.writer.check()
  }

  read(stream: string, from: number | 'end'): StreamResponse {
    return this.writer.read(stream, from)
  }

  /**
   * Calls `work` with the connection, outside a transaction. Throws the errors of `work`. Throws
   * `store_unavailable` when a file is not in place.
   */
  use<T>(work: (db: Database) => T): T {
    this.files.assertInPlace()
    return this.writer.use(work)
  }

  indexKeys(): void {
    this.files.assertInPlace()
    this.writer.indexKeys()
  }

  close(): void {
    this.writer.close()
  }
}

function failed(group: readonly QueuedAppend[], failure: WriteFailure): readonly WriteFailure[] {
  return group.map(() => failure)
}
