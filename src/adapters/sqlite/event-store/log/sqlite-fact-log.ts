import type {
  FactLog,
  LoggedFact,
  LogHead,
  LogPage,
} from '../../../../application/facts/ports/fact-log.js'
import type { StreamFact, StreamReader } from '../../../../application/ports/exact-appends.js'
import { isOurs } from '../../../../application/facts/our-streams.js'
import { Refusal } from '../../../../application/ports/refusal.js'
import { openDatabase, type Database, reasonOf } from '../../file/driver.js'
import { FactReader } from '../../file/fact-reader.js'
import type { CommitSignal } from './commit-signal.js'

const pageLimits = { facts: 5_000, bytes: 4_194_304 }

/**
 * Reads the facts of one SQLite file through a separate read-only connection. The connection holds no lock that
 * blocks a writer. After a failed read, the next read opens a new connection.
 */
export class SqliteFactLog implements FactLog, StreamReader {
  private facts: FactReader | undefined
  private readonly closing = new AbortController()

  /** `commits` signals every commit to the file. */
  constructor(
    private readonly path: string,
    private readonly commits: CommitSignal,
  ) {}

  async *follow(after: number, signal: AbortSignal): AsyncIterable<LogPage> {
    const ended = AbortSignal.any([signal, this.closing.signal])
    let last = after
    while (!signal.aborted) {
      const { count } = this.commits
      const facts = this.read((reader) => reader.page(last, Number.MAX_SAFE_INTEGER, pageLimits))
      const newest = facts.at(-1)
      if (newest === undefined) {
        await changedOrAborted(ended, this.commits.change(count))
      } else {
        last = newest.position
        yield { facts: facts.filter(isOurs), reached: last }
      }
    }
  }

  head(): Promise<LogHead> {
    return this.promise((reader) => {
      const newest = reader.head()
      return { newest, end: newest }
    })
  }

  at(position: number): Promise<LoggedFact | undefined> {
    return this.promise((reader) => {
      const fact = reader.find(position)
      return fact !== undefined && isOurs(fact) ? fact : undefined
    })
  }

  readStream(stream: string, from: number): Promise<readonly StreamFact[]> {
    return this.promise((reader) => reader.stream(stream, from))
  }

  close(): Promise<void> {
    this.closing.abort()
    this.facts?.db.close()
    this.facts = undefined
    return Promise.resolve()
  }

  private promise<T>(work: (facts: FactReader) => T): Promise<T> {
    return new Promise((resolve) => {
      resolve(this.read(work))
    })
  }

  private read<T>(work: (facts: FactReader) => T): T {
    if (this.closing.signal.aborted)
      throw new Refusal('store_unavailable', 'the fact log is closed')
    try {
      this.facts ??= new FactReader(openForFollowing(this.path))
      return work(this.facts)
    } catch (error) {
      this.facts?.db.close()
      this.facts = undefined
      throw new Refusal('store_unavailable', `${this.path} cannot be read: ${reasonOf(error)}`, {
        cause: error,
      })
    }
  }
}

function openForFollowing(path: string): Database {
  const db = openDatabase(path, { readOnly: true })
  // Enlarges the page cache, because the stream names that a read needs are spread over many pages.
  db.exec('PRAGMA cache_size = -16384')
  return db
}

/** Resolves when the signal is aborted or `change` resolves. */
function changedOrAborted(signal: AbortSignal, change: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      resolve()
    }
    signal.addEventListener('abort', stop, { once: true })
    change.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop)
    })
  })
}
