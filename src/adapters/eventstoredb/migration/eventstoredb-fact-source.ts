import type { Position } from '@eventstore/db-client'
import { CopyRefused } from '../../../application/migration/ports/copy-refused.js'
import type { StoredFact } from '../../../application/facts/stored-fact.js'
import type { FactSource, Survey } from '../../../application/migration/ports/fact-source.js'
import { StoreNotOpened } from '../../../application/ports/store-errors.js'
import { reasonOf } from '../client/answer.js'
import { FactPages, type PageOptions } from './fact-pages.js'

interface Seen {
  facts: number
  head: bigint
  until: Position | undefined
  /** How many removed streams were not counted. */
  without: number
}

const unseen: Readonly<Seen> = { facts: 0, head: 0n, until: undefined, without: 0 }

/**
 * The facts of the streams that begin with `entity-`; the store's own streams and the probe of the
 * service are passed over. It cannot be locked: a head that moved tells that somebody wrote.
 */
export class EventStoreDbFactSource implements FactSource {
  /** Streams that are in the log but not to be read any more. */
  private readonly removed = new Set<string>()

  private seen: Seen = { ...unseen }

  private constructor(private readonly pages: FactPages) {}

  /** Throws `StoreNotOpened` when the server does not answer. */
  static async open(options: PageOptions): Promise<EventStoreDbFactSource> {
    const firstContact = new FactPages({ ...options, retryForMs: 0 })
    try {
      await firstContact.ofStream('dossier-probe', 0n)
    } catch (error) {
      throw new StoreNotOpened(`${options.url.shown} cannot be used: ${reasonOf(error)}`, {
        cause: error,
      })
    } finally {
      await firstContact.close()
    }
    return new EventStoreDbFactSource(new FactPages(options))
  }

  /** The log only grows: another look goes on where the last one ended, unless streams went away. */
  async survey(): Promise<Survey> {
    if (this.seen.without !== this.removed.size)
      this.seen = { ...unseen, without: this.removed.size }
    const seen = this.seen
    for await (const { references, last } of this.pages.ofAll(seen.until)) {
      seen.facts += references.filter(({ stream }) => !this.removed.has(stream)).length
      seen.head = references.at(-1)?.position ?? seen.head
      seen.until = last
    }
    return { facts: seen.facts, head: String(seen.head) }
  }

  /** A stream whose beginning is gone from the log is not found here: the survey counts its facts. */
  async *streams(): AsyncIterable<string> {
    for await (const { references } of this.pages.ofAll()) {
      for (const { stream, revision } of references) if (revision === 0n) yield stream
    }
  }

  async *facts(stream: string, from: number): AsyncIterable<readonly StoredFact[]> {
    for (let next = BigInt(from); ;) {
      const page = await this.pages.ofStream(stream, next)
      if (page === undefined) this.removed.add(stream)
      if (page === undefined) return
      for (const { revision } of page.facts) {
        if (revision !== next) throw truncated(stream)
        next += 1n
      }
      yield page.facts.map(({ fact }) => fact)
      if (page.isLast) return
    }
  }

  async close(): Promise<void> {
    await this.pages.close()
  }
}

function truncated(stream: string): CopyRefused {
  return new CopyRefused(
    `stream ${JSON.stringify(stream)} was truncated: facts are gone from its beginning. It cannot ` +
      'be copied as it is.',
  )
}
