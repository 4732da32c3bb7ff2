import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A file that `npm run build` wrote, with its content type. */
export interface BuiltFile {
  readonly type: string
  readonly plain: Buffer
  /** The gzipped contents. Undefined when the file itself is compressed. */
  readonly gzipped: Buffer | undefined
  /** A hash of the contents, as a weak entity tag. The plain and the gzipped form share the tag. */
  readonly etag: string
}

export function builtFile(type: string, plain: Buffer, gzipped?: Buffer): BuiltFile {
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  return { type, plain, gzipped, etag: `W/"${hash}"` }
}

/**
 * Sends a file, gzipped if the file has a gzipped form and the caller accepts gzip. Sends 304
 * without the file if the caller already has this version.
 */
export function sendBuiltFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, plain, gzipped, etag }: BuiltFile,
): FastifyReply {
  reply.header('ETag', etag)
  if (gzipped !== undefined) reply.header('Vary', 'Accept-Encoding')
  if (namesTag(headers['if-none-match'], etag)) return reply.code(304).send()
  reply.type(type)
  if (gzipped === undefined || !acceptsGzip(headers['accept-encoding'])) return reply.send(plain)
  return reply.header('Content-Encoding', 'gzip').send(gzipped)
}

/**
 * Returns whether `If-None-Match` names the entity tag. Compares weakly, as RFC 9110 demands: `W/"a"` and `"a"` are
 * equal.
 */
function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return [...header.matchAll(/"[^"]*"/g)].some(([tag]) => `W/${tag}` === etag)
}

function acceptsGzip(encodings = ''): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/i.test(encodings)
}
