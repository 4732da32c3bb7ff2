import type { IncomingHttpHeaders } from 'node:http'
import { factNames } from '../../../application/facts/fact-format.js'
import type { FeedStart } from '../../../application/reading/feed-start.js'
import { HttpFault } from '../errors/faults.js'
import { named } from './parameters.js'
import type { Parameter } from './query.js'
import { positionOf } from './request-headers.js'

const placeFormat = /^([0-9]{1,20})(?:\.([0-9a-f]{8}))?$/

function startIn(text: string): FeedStart | undefined {
  if (text === 'start' || text === 'now') return text
  const [, digits, idBegins] = placeFormat.exec(text) ?? []
  return digits === undefined ? undefined : { position: positionOf(digits), idBegins }
}

const startForm = '"start", "now", a position, or a cursor of this feed'

export const after: Parameter<FeedStart> = {
  name: 'after',
  description:
    'Where to begin: `start`, `now`, a position, which is taken unchecked, or a cursor, whose fact must ' +
    'be there.',
  schema: {
    type: 'string',
    pattern: `^(start|now|[0-9]{1,20}([.][0-9a-f]{8})?)$`,
    default: 'start',
  },
  form: startForm,
  parse: startIn,
}

export const types: Parameter<readonly string[]> = {
  name: 'types',
  description: `Only facts of these types, with commas between: ${factNames.join(', ')}.`,
  schema: { type: 'string' },
  form: `some of ${factNames.join(', ')}, with commas between`,
  parse: (text) => {
    const names = text.split(',')
    return names.every((name) => factNames.includes(name)) ? names : undefined
  },
}

export const entity = named('entity', 'Only facts of the entity of this external_id.')

/** Undefined when it is not sent, or empty. Throws `malformed_request`. */
export function lastEventIdOf(headers: IncomingHttpHeaders): FeedStart | undefined {
  const given = headers['last-event-id']
  if (given === undefined || given === '') return undefined
  const start = typeof given === 'string' ? startIn(given) : undefined
  if (start !== undefined) return start
  throw new HttpFault('malformed_request', `The header Last-Event-ID must be ${startForm}.`)
}

/** Whether server-sent events are wanted, and not a page. */
export function wantsStream({ accept = '' }: IncomingHttpHeaders): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return (
      type === 'text/event-stream' && !parameters.some((part) => /^q=0(?:\.0{0,3})?$/.test(part))
    )
  })
}
