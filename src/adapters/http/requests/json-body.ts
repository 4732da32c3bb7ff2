import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { parse } from 'secure-json-parse'
import type { FairTurns } from '../../../application/fair-turns.js'
import { atOnce, type InPieces } from '../../../domain/in-pieces.js'
import { HttpFault, plainFault } from '../errors/faults.js'
import { firstJsonError } from './first-json-error.js'
import { maxPartLength, parseInParts } from './parse-in-parts.js'
import { countLines } from './request-headers.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether the route receives the body as bytes, and parses it itself when other bodies leave
     * room.
     */
    readonly readsBodyLater?: boolean
    /** Whether the route stores nothing, although its method may be POST. */
    readonly reads?: boolean
    /** Whether users send unfinished drafts, so that a refusal of this route is an ordinary answer. */
    readonly takesDrafts?: boolean
  }
}

/** The accepted media types, in lower case and without white space around `;` and `=`. */
const plainJson = new Set([
  'application/json',
  'application/json;',
  'application/json;charset=utf-8',
  'application/json;charset=utf-8;',
  'application/json;charset="utf-8"',
  'application/json;charset="utf-8";',
])

/**
 * The number of `;`-separated parts of a header that are read. Accepted headers have fewer parts.
 */
const maxParts = 4

/** Refuses every body that its headers do not declare as plain JSON in UTF-8. */
export const requireJson: onRequestHookHandler = (request, _reply, done) => {
  const type = request.headers['content-type']
  const plain = type !== undefined && isPlainJson(type) && !('content-encoding' in request.headers)
  done(
    plain && countLines(request.raw, 'content-type') === 1
      ? undefined
      : plainFault('unsupported_media_type'),
  )
}

/**
 * Like `requireJson`, for requests whose body is optional. Removes the body headers when there is no body, because
 * Fastify would refuse an unknown content type.
 */
export const requireJsonOfBody: onRequestHookHandler = function (request, reply, done) {
  const { headers } = request.raw
  if ('transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0) {
    requireJson.call(this, request, reply, done)
    return
  }
  delete headers['content-type']
  delete headers['content-length']
  done()
}

function isPlainJson(header: string): boolean {
  return plainJson.has(header) || plainJson.has(withoutSpace(header))
}

/**
 * Removes white space around `;` and `=`. Uses no regular expression, because it would backtrack on
 * long white space.
 */
function withoutSpace(header: string): string {
  return apart(header, ';', (part) => apart(part, '=', (word) => word.trim().toLowerCase()))
}

function apart(text: string, separator: string, change: (part: string) => string): string {
  return text.split(separator, maxParts).map(change).join(separator)
}

/**
 * Makes the server parse JSON strictly: the body must be valid UTF-8 and must not contain `__proto__` at any depth.
 * An empty body becomes undefined.
 */
export function parseJsonStrictly(server: FastifyInstance, turns: FairTurns): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    ({ routeOptions, keyId }, body: Buffer, done) => {
      if (routeOptions.config.readsBodyLater === true) {
        done(null, body)
        return
      }
      const failed = (error: unknown) => {
        done(error instanceof Error ? error : plainFault('malformed_json'))
      }
      if (body.length > maxPartLength) {
        turns.run(keyId, parsedBody(body)).then((parsed) => {
          done(null, parsed)
        }, failed)
        return
      }
      try {
        done(null, atOnce(parsedBody(body)))
      } catch (error) {
        failed(error)
      }
    },
  )
}

const options = { protoAction: 'error', constructorAction: 'ignore' } as const

/**
 * The library's message for a member named `__proto__`. The message of a syntax error quotes the
 * body, so it can contain this message. Only an equal message reports such a member.
 */
const protoMessage = messageOf(() => void parse('{"__proto__":0}', undefined, options))

function messageOf(refused: () => void): string | undefined {
  try {
    refused()
    return undefined
  } catch (error) {
    return error instanceof SyntaxError ? error.message : undefined
  }
}

/**
 * Parses a body in pieces. An empty body becomes undefined. `protoAction` applies to members named `__proto__`.
 * Throws `malformed_json`.
 */
export function* parsedBody(
  body: Buffer,
  protoAction: 'error' | 'ignore' = 'error',
): InPieces<unknown> {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) {
    throw new HttpFault('malformed_json', 'The body is not valid UTF-8. Send JSON in UTF-8.')
  }
  const parsePart = (text: string): unknown => parse(text, undefined, { ...options, protoAction })
  const text = body.toString('utf8')
  try {
    return yield* parseInParts(text, parsePart)
  } catch (error) {
    if (error instanceof SyntaxError && error.message === protoMessage) {
      const message = 'The body has a member "__proto__". This name is not allowed.'
      throw new HttpFault('malformed_json', message)
    }
    throw notJson(text)
  }
}

/**
 * The maximum length of a text in which the error is located. Locating the error blocks the main
 * thread, so the message for a longer text contains no location.
 */
const maxSearchedLength = 65_536

/** Returns the fault of a text that is not JSON. The message never repeats the text. */
function notJson(text: string): HttpFault {
  const place = text.length > maxSearchedLength ? undefined : firstJsonError(text)
  if (place === undefined) return plainFault('malformed_json')
  const message = `The body is not JSON: look at ${place}. Send one JSON object in UTF-8.`
  return new HttpFault('malformed_json', message)
}

export function noBody(): HttpFault {
  return new HttpFault('malformed_json', 'The request has no body. Send one JSON object in UTF-8.')
}
