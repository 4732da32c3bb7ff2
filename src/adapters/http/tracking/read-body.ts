import type { IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { InPieces } from '../../../domain/in-pieces.js'
import type { Json } from '../../../domain/json.js'
import { bodyBeyond, HttpFault, plainFault } from '../errors/faults.js'
import type { BodyBudget } from '../requests/byte-budgets.js'
import { noBody, parsedBody } from '../requests/json-body.js'
import { bodyMs, lookMs, maxBodyBytes, maxKeylessBytes, roomMs } from './tracking-limits.js'

const inflated = promisify(gunzip)

const notGzip = new HttpFault('malformed_json', 'The body is not a complete gzip stream.')

/**
 * Destroys the connection of a slow body without a reply. Some SDKs would drop their messages after
 * status 408, but every SDK retries when there is no reply.
 */
export const endSlowBody: onRequestHookHandler = ({ raw }, _reply, done) => {
  // Removes the content type, so that JSON under any type is accepted. Browsers send JSON as text to avoid a
  // preflight request.
  delete raw.headers['content-type']
  const timer = setTimeout(() => raw.destroy(), bodyMs).unref()
  const ended = () => {
    clearTimeout(timer)
  }
  raw.once('end', ended).once('close', ended)
  done()
}

/**
 * Reads the body as bytes, and decompresses gzip. Reserves memory in the budget first; the budget's
 * `release` hook frees the memory. Throws `body_too_large`, `overloaded` and `malformed_json`.
 */
export async function readBody(request: FastifyRequest, budget: BodyBudget): Promise<Buffer> {
  const limit = request.keyId === '' ? maxKeylessBytes : maxBodyBytes
  const length = Number(request.headers['content-length'] ?? limit)
  if (length > limit) throw bodyBeyond(limit)
  const reserve = async (bytes: number) => {
    while (!budget.resize(request, bytes)) {
      if (performance.now() - request.arrivedAt >= roomMs) throw plainFault('overloaded')
      await pause(lookMs)
    }
  }
  await reserve(length)
  const sent = await bytesOf(request.raw, limit)
  if (!isGzip(sent)) return sent
  // Tries the decompressed length that the last four bytes of gzip state. Forged or multi-part gzip
  // states a wrong length, so a second attempt uses the limit.
  const stated = Math.min(sent.readUInt32LE(sent.length - 4) + 1, limit)
  for (const most of new Set([stated, limit])) {
    await reserve(sent.length + most)
    const whole = await inflate(sent, most)
    if (whole !== undefined) return whole
  }
  throw bodyBeyond(limit)
}

/**
 * Parses a body. `mayHaveProto` says whether a member may be named "__proto__". Throws
 * `malformed_json`.
 */
export function* parsedTracked(body: Buffer): InPieces<{
  readonly body: Json
  readonly mayHaveProto: boolean
}> {
  const parsed = yield* parsedBody(body, 'ignore')
  if (!isJson(parsed)) throw noBody()
  const mayHaveProto = body.includes('__proto__') || body.includes('\\u00')
  return { body: parsed, mayHaveProto }
}

/** Narrows the type: JSON text never parses to undefined. */
function isJson(parsed: unknown): parsed is Json {
  return parsed !== undefined
}

/**
 * Returns whether the bytes are gzip. Checks the first bytes instead of the headers, because a
 * proxy can decompress a body and keep the headers. JSON never begins with these bytes.
 */
function isGzip(bytes: Buffer): boolean {
  return bytes.length >= 18 && bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** Decompresses gzip. Returns undefined when the result would exceed `maxOutputLength` bytes. */
async function inflate(bytes: Buffer, maxOutputLength: number): Promise<Buffer | undefined> {
  try {
    return await inflated(bytes, { maxOutputLength })
  } catch (error) {
    const hasCode = typeof error === 'object' && error !== null && 'code' in error
    const code = hasCode ? error.code : undefined
    if (code === 'ERR_BUFFER_TOO_LARGE') return undefined
    if (typeof code === 'string' && code.startsWith('Z_')) throw notGzip
    throw error
  }
}

/**
 * Reads the body, at most `limit` bytes. Throws `body_too_large`. Throws the error of the request
 * when the connection ends before the body.
 */
function bytesOf(raw: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    raw.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else {
        chunks.length = 0
        reject(bodyBeyond(limit))
      }
    })
    const cutOff = () => {
      reject(raw.errored ?? plainFault('malformed_request'))
    }
    if (raw.destroyed) cutOff()
    raw.once('error', cutOff).once('close', cutOff)
    raw.once('end', () => {
      const [first = Buffer.alloc(0), ...rest] = chunks
      resolve(rest.length === 0 ? first : Buffer.concat(chunks))
    })
  })
}
