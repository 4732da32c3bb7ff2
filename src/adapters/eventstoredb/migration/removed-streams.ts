import { z } from 'zod'
import { isOurStream } from '../../../application/facts/our-streams.js'
import { parseJson } from '../../../application/facts/metadata-text.js'
import { beginAgain, CopyRefused } from '../../../application/migration/ports/fact-copy.js'
import { metastreamPrefix } from '../client/metastream.js'
import { StoreClient } from '../client/store-client.js'
import { IncomingEvents, type Wanted } from '../log/incoming-events.js'
import type { LogEvent } from '../log/read-response.js'
import type { PagesOptions } from '../log/subscribed-pages.js'

/** The types of system events: a tombstone, and stream metadata that may limit a stream. */
const tombstone = '$streamDeleted'
const metadata = '$metadata'

/** The metadata fields that limit a stream. A soft-delete sets `$tb`, too. */
const limits = z.object({
  $tb: z.number().optional(),
  $maxAge: z.number().optional(),
  $maxCount: z.number().optional(),
})

/**
 * Throws `CopyRefused` when a stream of the product was soft-deleted, tombstoned or truncated.
 * Until a scavenge, `$all` still contains the facts of such a stream, so the facts do not show the
 * deletion. Throws errors of the client.
 */
export async function assertNothingRemoved({ url, timeoutMs }: PagesOptions): Promise<void> {
  const client = new StoreClient(url)
  const { signal } = new AbortController()
  const incoming = new IncomingEvents(client, undefined, signal, url.credentials, marks)
  /** Streams whose latest metadata sets a limit. */
  const limited = new Set<string>()
  try {
    await incoming.opened(timeoutMs)
    for (;;) {
      const next = await incoming.next()
      if (next.kind === 'caught_up') break
      if (next.kind !== 'event') continue
      if (next.event.type === tombstone) throw removed(next.event.stream)
      const stream = limitedStream(next.event)
      if (isLimited(next.event)) limited.add(stream)
      else limited.delete(stream)
    }
  } finally {
    incoming.close()
    void client.close()
  }
  const [first] = limited
  if (first !== undefined) throw removed(first)
}

function limitedStream({ stream }: LogEvent): string {
  return stream.slice(metastreamPrefix.length)
}

function isLimited({ data }: LogEvent): boolean {
  const { $tb = 0, $maxAge, $maxCount } = limits.catch({}).parse(parseJson(data))
  return $tb > 0 || $maxAge !== undefined || $maxCount !== undefined
}

const marks: Wanted = {
  filter: { of: 'type', prefixes: [metadata, tombstone] },
  accepts: (event) =>
    event.type === metadata
      ? event.stream.startsWith(metastreamPrefix) && isOurStream(limitedStream(event))
      : isOurStream(event.stream),
}

function removed(stream: string): CopyRefused {
  return new CopyRefused(
    `stream ${JSON.stringify(stream)} of the target was deleted or truncated, or may be: ${beginAgain}`,
  )
}
