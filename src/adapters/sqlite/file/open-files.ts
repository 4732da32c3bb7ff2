import { basename } from 'node:path'
import { reasonOf } from '../../../application/ports/log.js'
import { Refusal } from '../../../application/ports/refusal.js'
import { identityAt } from './paths.js'

/**
 * The longest time for which the result of a check stays valid, in milliseconds. Facts are acknowledged only while
 * the result is valid.
 */
const checkEveryMs = 100

/** The suffixes of the paths of the database file, the WAL, the WAL index, and the lock file. */
const endings = ['', '-wal', '-shm', '.lock'] as const

/** The device and inode of each file, by path. */
type Identities = ReadonlyMap<string, string>

interface OpenFilesOptions {
  /** The identities that another thread determined. If absent, the constructor determines the identities. */
  readonly identities?: Identities
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
  /** Called once, when a check finds that a file was removed, moved or replaced. */
  readonly onLost?: (reason: string) => void
}

/**
 * Watches the files of an open database. Writes to an open file succeed even after the file was removed, moved
 * or replaced, but a restart would not find these writes. The owner therefore checks that each path still leads
 * to the opened file.
 *
 * Create the object after the first read of the database. Before that read, a file may be missing, or opening
 * the file may copy it to another layer of an overlay file system.
 */
export class OpenFiles {
  /** The reason why the files are lost to this process. It stays set even if somebody puts the files back. */
  lost: string | undefined
  private checkedAt: number

  readonly identities: Identities
  private readonly now: () => number

  constructor(
    readonly path: string,
    private readonly options: OpenFilesOptions = {},
  ) {
    this.identities = options.identities ?? identitiesOf(path)
    this.now = options.now ?? (() => performance.now())
    this.checkedAt = this.now()
  }

  /**
   * Returns the reason why no fact may be acknowledged now, or undefined. Checks the files again when the last
   * check is too old.
   */
  recentTrouble(): string | undefined {
    if (this.lost !== undefined) return this.lost
    return this.now() - this.checkedAt < checkEveryMs ? undefined : this.trouble()
  }

  /**
   * Checks the files now. Returns the reason why no fact may be acknowledged, or undefined. An error of the
   * check does not mean that files are lost, and the next check may succeed.
   */
  trouble(): string | undefined {
    if (this.lost !== undefined) return this.lost
    const at = this.now()
    for (const [path, identity] of this.identities) {
      try {
        if (identityAt(path) === identity) continue
      } catch (error) {
        return `${basename(path)} cannot be checked: ${reasonOf(error)}`
      }
      this.lost = lostReason(path)
      this.options.onLost?.(this.lost)
      return this.lost
    }
    this.checkedAt = at
    return undefined
  }

  /** Throws `store_unavailable` when a path leads to another file or to no file. */
  assertInPlace(): void {
    const trouble = this.trouble()
    if (trouble !== undefined) throw new Refusal('store_unavailable', trouble)
  }
}

function lostReason(path: string): string {
  return (
    `${basename(path)} was removed, moved or replaced while this process had it open: facts that were stored since ` +
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
