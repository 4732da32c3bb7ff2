import type { FastifyReply, FastifyRequest } from 'fastify'

/** A file that `npm run build` wrote, with its content type. */
export interface BuiltFile {
  readonly type: string
  readonly plain: Buffer
  /** The gzipped contents. Undefined when the file itself is compressed. */
  readonly gzipped: Buffer | undefined
}

/** Sends a file, gzipped if the file has a gzipped form and the caller accepts gzip. */
export function sendBuiltFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, plain, gzipped }: BuiltFile,
): FastifyReply {
  reply.type(type)
  if (gzipped === undefined || !acceptsGzip(headers['accept-encoding'])) return reply.send(plain)
  return reply.header('Content-Encoding', 'gzip').send(gzipped)
}

function acceptsGzip(encodings = ''): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/i.test(encodings)
}
