import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { servedFacts } from '../../../application/facts/fact-table.js'
import type { FeedStart } from '../../../application/reading/feed-start.js'
import { HttpFault } from '../errors/faults.js'
import { textAs } from '../schemas/common.js'
import { named } from './parameters.js'
import { queryFault } from './query.js'
import { accepts, positionOf } from './request-headers.js'

const placeFormat = /^([0-9]{1,20})(?:\.([0-9a-f]{8}))?$/

function startIn(text: string): FeedStart | undefined {
  if (text === 'start' || text === 'now') return text
  const [, digits, idBegins] = placeFormat.exec(text) ?? []
  return digits === undefined ? undefined : { position: positionOf(digits), idBegins }
}

const startForm = 'must be "start", "now", a position, or a cursor of this feed'

const factNames: readonly string[] = servedFacts.map(({ type }) => type)

function typesIn(text: string): readonly string[] | undefined {
  const names = text.split(',')
  return names.every((name) => factNames.includes(name)) ? names : undefined
}

function place() {
  return textAs(startIn, 'bad_characters', startForm)
}

/** Returns the schema of a point in the feed, for the body of a request. */
export function factPlace(description: string) {
  return place().meta({ description, pattern: placePattern, examples: ['start'] })
}

const placePattern = '^(start|now|[0-9]{1,20}([.][0-9a-f]{8})?)$'

/** The query parameters of the feed when it is read as a stream. */
export const streamQuery = z.strictObject({
  cursor: place()
    .optional()
    .meta({
      description:
        'Continues after this cursor: the `next_cursor` of a page, or the `id` of a frame. The ' +
        'store must still have the fact at the cursor.',
      pattern: placePattern,
    }),
  after: place()
    .optional()
    .meta({
      description:
        'The point after which reading begins: `start` (the default), `now`, or a position. The ' +
        'service does not check that a fact has this position. Cannot be combined with `cursor`.',
      pattern: placePattern,
    }),
  types: textAs(
    typesIn,
    'wrong_type',
    `must be some of ${factNames.join(', ')}, separated by commas`,
  )
    .optional()
    .meta({
      description: `Only facts of these types, separated by commas: ${factNames.join(', ')}.`,
    }),
  entity: named('Only facts of the entity with this external_id.'),
})

/**
 * Returns the point after which a stream or page begins. Throws `malformed_request` when the query
 * contains both parameters.
 */
export function startOf({ cursor, after }: z.infer<typeof streamQuery>): FeedStart {
  if (cursor !== undefined && after !== undefined) {
    throw queryFault('after', 'conflict', 'cannot be combined with "cursor": send one of them')
  }
  return cursor ?? after ?? 'start'
}

/** Reads the header Last-Event-ID. Undefined when it is absent or empty. Throws `malformed_request`. */
export function lastEventIdOf(headers: IncomingHttpHeaders): FeedStart | undefined {
  const given = headers['last-event-id']
  if (given === undefined || given === '') return undefined
  const start = typeof given === 'string' ? startIn(given) : undefined
  if (start !== undefined) return start
  throw new HttpFault('malformed_request', `The header Last-Event-ID ${startForm}.`)
}

/** Returns whether the client asks for server-sent events instead of a page. */
export function wantsStream(headers: IncomingHttpHeaders): boolean {
  return accepts(headers, 'text/event-stream')
}
