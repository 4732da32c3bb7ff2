import { basename } from 'node:path'
import { reasonOf } from '../../../application/ports/log.js'
import { Refusal } from '../../../application/ports/refusal.js'
import { identityAt } from './paths.js'

/** The maximum age of the last check when a fact is acknowledged, in milliseconds. */
const lookEveryMs = 100

/** The database, its write-ahead log, the index of that log, and the lock of its owner. */
const endings = ['', '-wal', '-shm', '.lock'] as const

/** Device and inode of each file, by its path. */
type Identities = ReadonlyMap<string, string>

interface OpenFilesOptions {
  /** The identities that another thread found. */
  readonly identities?: Identities
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
  /** Called once, by the check that misses a file. */
  readonly onLost?: (reason: string) => void
}

/**
 * Watches the files of an open database. An open file that was removed, moved or replaced accepts writes without an
 * error, and a restart would not find them. So the owner checks that each path still leads to the opened file.
 *
 * Create it after the first read of the database. Before that, a file may be missing, or opening it may copy it to
 * another layer of an overlay file system.
 */
export class OpenFiles {
  /** Why the files are lost to this process. They stay lost when they come back. */
  lost: string | undefined
  private lookedAt: number

  readonly identities: Identities
  private readonly now: () => number

  constructor(
    readonly path: string,
    private readonly options: OpenFilesOptions = {},
  ) {
    this.identities = options.identities ?? identitiesOf(path)
    this.now = options.now ?? (() => performance.now())
    this.lookedAt = this.now()
  }

  /** Why nothing may be acknowledged now. Checks again when the last check is too old. */
  recentTrouble(): string | undefined {
    if (this.lost !== undefined) return this.lost
    return this.now() - this.lookedAt < lookEveryMs ? undefined : this.trouble()
  }

  /** Checks now. A failed check is not a loss of files: the next check may succeed. */
  trouble(): string | undefined {
    if (this.lost !== undefined) return this.lost
    const at = this.now()
    for (const [path, identity] of this.identities) {
      try {
        if (identityAt(path) === identity) continue
      } catch (error) {
        return `${basename(path)} cannot be looked at: ${reasonOf(error)}`
      }
      this.lost = lostReason(path)
      this.options.onLost?.(this.lost)
      return this.lost
    }
    this.lookedAt = at
    return undefined
  }

  /** Throws `store_unavailable` when a path leads to another file, or to none. */
  assertInPlace(): void {
    const trouble = this.trouble()
    if (trouble !== undefined) throw new Refusal('store_unavailable', trouble)
  }
}

function lostReason(path: string): string {
  return (
    `${basename(path)} was removed, moved or replaced while this process had it open: what was stored since ` +
    'may be lost. Put the files of the data back together or restore a back-up, and start again'
  )
}

function identitiesOf(path: string): Identities {
  const found = new Map<string, string>()
  for (const ending of endings) {
    const identity = identityAt(`${path}${ending}`)
    if (identity !== undefined) found.set(`${path}${ending}`, identity)
  }
  return found
}
