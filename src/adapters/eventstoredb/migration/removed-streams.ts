import { z } from 'zod'
import { isOurStream } from '../../../application/facts/our-streams.js'
import { parseJson } from '../../../application/facts/metadata.js'
import { CopyRefused } from '../../../application/migration/ports/fact-copy.js'
import { metastreamPrefix } from '../client/metastream.js'
import { StoreClient } from '../client/store-client.js'
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

/** `$all` holds the facts of removed streams until it is scavenged: this finds out which those are. */
export class RemovedStreams {
  /** What the latest mark in the log says of a stream. */
  private readonly marks = new Map<string, 'removed for good' | 'removed' | 'cut'>()
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
    } finally {
      incoming.close()
      void client.close()
    }
    return this.removed()
  }

  /** False when everything is taken. */
  private async take(incoming: IncomingEvents): Promise<boolean> {
    const next = await incoming.next()
    if (next.kind === 'caught_up') return false
    if (next.kind === 'event') this.note(next.event)
    this.until = next.kind === 'event' ? positionOf(next.event) : next.position
    return true
  }

  private note({ stream: name, type, data }: LogEvent): void {
    if (type === tombstone) {
      this.marks.set(name, 'removed for good')
      return
    }
    const stream = name.slice(metastreamPrefix.length)
    if (this.marks.get(stream) === 'removed for good') return
    const { $tb = 0, $maxAge, $maxCount } = limits.catch({}).parse(parseJson(data))
    if ($tb >= Number.MAX_SAFE_INTEGER) this.marks.set(stream, 'removed')
    else if ($tb > 0 || $maxAge !== undefined || $maxCount !== undefined)
      this.marks.set(stream, 'cut')
    else this.marks.delete(stream)
  }

  private removed(): ReadonlySet<string> {
    const [cut] = [...this.marks].find(([, mark]) => mark === 'cut') ?? []
    if (cut !== undefined) throw truncated(cut)
    return new Set(this.marks.keys())
  }
}

const marks: Wanted = {
  filter: { of: 'type', prefixes: [metadata, tombstone] },
  accepts: ({ stream, type }) =>
    type === tombstone
      ? isOurStream(stream)
      : stream.startsWith(metastreamPrefix) && isOurStream(stream.slice(metastreamPrefix.length)),
}

function truncated(stream: string): CopyRefused {
  return new CopyRefused(
    `stream ${JSON.stringify(stream)} was truncated, or may be: facts are gone from its beginning. It ` +
      'cannot be copied as it is.',
  )
}
