import { z } from 'zod'
import { isSubject } from '../../../application/erasing/erasure-hashes.js'
import { factTable } from '../../../application/facts/fact-table.js'
import { isOurStream } from '../../../application/facts/our-streams.js'
import { parseJson } from '../../../application/facts/metadata.js'
import { CopyRefused } from '../../../application/migration/ports/fact-copy.js'
import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import { entityStream } from '../../../domain/entity.js'
import type { EntityErasureRecorded } from '../../../domain/erasures.js'
import { metastreamPrefix } from '../client/metastream.js'
import { StoreClient } from '../client/store-client.js'
import { withTimeout } from '../client/with-timeout.js'
import { readAll } from '../log/read-all.js'
import { IncomingEvents, type Wanted } from '../log/incoming-events.js'
import { positionOf, type LogEvent } from '../log/read-response.js'
import type { PagesOptions } from '../log/subscribed-pages.js'
import type { Position } from '../log/subscription-errors.js'

/** The server's own events: a stream is removed for good, or its metadata says what of it is left. */
const tombstone = '$streamDeleted'
const metadata = '$metadata'

const limits = z.object({
  $tb: z.number().optional(),
  $maxAge: z.number().optional(),
  $maxCount: z.number().optional(),
})

/**
 * What the latest mark in the log says of a stream. A number: the revision that it begins with now, behind
 * facts that it had before.
 */
type Mark = 'removed for good' | 'removed' | 'cut' | number

/** `$all` holds the facts of removed streams until it is scavenged: this finds out which those are. */
export class RemovedStreams {
  private readonly marks = new Map<string, Mark>()
  private readonly erasures: EntityErasureRecorded[] = []
  /** Streams of persons who were erased, which others have begun anew: the position of the first fact. */
  private readonly begunAnew = new Map<string, number>()
  private until: Position | undefined

  constructor(private readonly options: PagesOptions) {}

  /** As of now: goes on where the last look ended. Throws what the client throws, and `CopyRefused`. */
  async look(): Promise<ReadonlySet<string>> {
    const { url, timeoutMs } = this.options
    const client = new StoreClient(url)
    const signal = new AbortController().signal
    const incoming = new IncomingEvents(client, this.until, signal, url.credentials, marks)
    try {
      await incoming.opened(timeoutMs)
      while (await this.take(incoming)) continue
      await this.findBegunAnew(client)
    } finally {
      incoming.close()
      void client.close()
    }
    return this.removed()
  }

  /** Whether the fact is of an erased person, whose name is another one's now. */
  isOfErased({ stream, position }: LoggedFact): boolean {
    return position < (this.begunAnew.get(stream) ?? 0)
  }

  /** False when everything is taken. */
  private async take(incoming: IncomingEvents): Promise<boolean> {
    const next = await incoming.next()
    if (next.kind === 'caught_up') return false
    if (next.kind === 'event') this.note(next.event)
    this.until = next.kind === 'event' ? positionOf(next.event) : next.position
    return true
  }

  private note(event: LogEvent): void {
    const { stream: name, type, data } = event
    if (type === factTable.EntityErasureRecorded.type) {
      const erasure = factTable.EntityErasureRecorded.read(event)
      if (erasure !== undefined) this.erasures.push(erasure)
      return
    }
    if (type === tombstone) {
      this.marks.set(name, 'removed for good')
      return
    }
    const stream = name.slice(metastreamPrefix.length)
    if (this.marks.get(stream) === 'removed for good') return
    const { $tb = 0, $maxAge, $maxCount } = limits.catch({}).parse(parseJson(data))
    if ($tb >= Number.MAX_SAFE_INTEGER) this.marks.set(stream, 'removed')
    else if ($maxAge !== undefined || $maxCount !== undefined) this.marks.set(stream, 'cut')
    else if ($tb > 0) this.marks.set(stream, $tb)
    else this.marks.delete(stream)
  }

  /** A stream begins anew behind the revisions that it had: of an erased person that is as it should be. */
  private async findBegunAnew(client: StoreClient): Promise<void> {
    const { url, timeoutMs } = this.options
    for (const [stream, from] of this.marks) {
      if (typeof from !== 'number' || !this.wasErased(stream)) continue
      const range = { stream, from, maxCount: 1 }
      const reading = readAll(client, range, { credentials: url.credentials, timeoutMs })
      const [first] = await withTimeout(timeoutMs, reading)
      if (first?.type === factTable.EntityCreated.type) this.begunAnew.set(stream, first.commit)
    }
  }

  private wasErased(stream: string): boolean {
    const externalId = stream.slice(entityStream('').length)
    return (
      stream === entityStream(externalId) &&
      this.erasures.some(({ id, data }) => isSubject({ id, ...data }, externalId))
    )
  }

  private removed(): ReadonlySet<string> {
    const removed = new Set<string>()
    for (const [stream, mark] of this.marks) {
      if (mark === 'removed' || mark === 'removed for good') removed.add(stream)
      else if (mark === 'cut' || !this.begunAnew.has(stream)) throw truncated(stream)
    }
    return removed
  }
}

const marks: Wanted = {
  filter: { of: 'type', prefixes: [metadata, tombstone, factTable.EntityErasureRecorded.type] },
  accepts: ({ stream, type }) =>
    type !== metadata
      ? isOurStream(stream)
      : stream.startsWith(metastreamPrefix) && isOurStream(stream.slice(metastreamPrefix.length)),
}

function truncated(stream: string): CopyRefused {
  return new CopyRefused(
    `stream ${JSON.stringify(stream)} was truncated, or may be: facts are gone from its beginning. It ` +
      'cannot be copied as it is.',
  )
}
