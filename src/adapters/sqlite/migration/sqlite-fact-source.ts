import { existsSync, realpathSync, statSync } from 'node:fs'
import { resolve as absolute } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredFact } from '../../../application/facts/stored-fact.js'
import type { FactSource, Survey } from '../../../application/migration/ports/fact-source.js'
import { StoreNotOpened } from '../../../application/ports/store-errors.js'
import { DataLock } from '../file/data-lock.js'
import { openDatabase, type Database } from '../file/driver.js'
import { inspectFile, untouched } from '../file/inspect-file.js'
import { StreamIndex } from './stream-index.js'

/** The facts of one SQLite file, which is locked meanwhile and never written. */
export class SqliteFactSource implements FactSource {
  private constructor(
    private readonly places: StreamIndex,
    private readonly letGo: () => void,
  ) {}

  /** Throws `StoreNotOpened` when the file is missing, in use, damaged or not ours. */
  static open(given: string): Promise<SqliteFactSource> {
    return new Promise((resolve) => {
      resolve(SqliteFactSource.opened(absolute(given)))
    })
  }

  private static opened(given: string): SqliteFactSource {
    if (!existsSync(given) || statSync(given).size === 0) {
      throw new StoreNotOpened(`${given} is missing or empty: there is nothing to copy`)
    }
    const path = realpathSync(given)
    const lock = DataLock.take(path)
    try {
      inspectFile(path)
      return SqliteFactSource.over(openDatabase(untouched(path), { readOnly: true }), () => {
        lock.release()
      })
    } catch (error) {
      lock.release()
      throw error
    }
  }

  private static over(db: Database, unlock: () => void): SqliteFactSource {
    try {
      return new SqliteFactSource(new StreamIndex(db), () => {
        db.close()
        unlock()
      })
    } catch (error) {
      db.close()
      throw error
    }
  }

  survey(): Promise<Survey> {
    return Promise.resolve(surveyOf(this.places))
  }

  streams(): AsyncIterable<string> {
    return streamsOf(this.places)
  }

  facts(stream: string, from: number): AsyncIterable<readonly StoredFact[]> {
    return factsOf(this.places, stream, from)
  }

  close(): Promise<void> {
    this.letGo()
    return Promise.resolve()
  }
}

export function surveyOf(places: StreamIndex): Survey {
  return { facts: places.facts(), head: String(places.head()) }
}

export async function* streamsOf(places: StreamIndex): AsyncIterable<string> {
  let last = 0
  for (;;) {
    await nextTurn()
    const page = places.streamsAfter(last)
    for (const { name } of page) yield name
    const end = page.at(-1)
    if (end === undefined) return
    last = end.id
  }
}

/** Lets others have their turn between two pages: reading a page waits for the disk. */
export async function* factsOf(
  places: StreamIndex,
  stream: string,
  from: number,
): AsyncIterable<readonly StoredFact[]> {
  const streamId = places.streamId(stream)
  if (streamId === undefined) return
  for (let place = from; ;) {
    await nextTurn()
    const page = places.page(streamId, place)
    if (page.length === 0) return
    yield page
    place += page.length
  }
}
