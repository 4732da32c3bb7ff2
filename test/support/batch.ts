import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { z } from 'zod'
import { post } from './post.js'

const result = z.union([
  z.strictObject({
    status: z.number(),
    data: z.record(z.string(), z.unknown()),
    position: z.string().regex(/^[0-9]+$/),
    replayed: z.boolean(),
  }),
  z.strictObject({
    status: z.number(),
    error: z.strictObject({
      code: z.string(),
      message: z.string(),
      details: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })),
      request_id: z.string(),
    }),
  }),
])

const counts = z.strictObject({
  stored: z.number(),
  replayed: z.number(),
  refused: z.number(),
  unknown: z.number(),
})

const reply = z.strictObject({
  status: z.enum(['success', 'partial']),
  data: z.strictObject({ results: z.array(result), counts }),
})

export type BatchResult = z.infer<typeof result>

/** The parsed reply to a batch. Parsing throws when the body has another format. */
export interface BatchAnswer {
  readonly status: number
  readonly results: readonly BatchResult[]
  readonly counts: z.infer<typeof counts>
  /** A summary of each result: `201`, `200 replayed`, or `404 entity_not_found`. */
  readonly short: readonly string[]
}

export function batchAnswer(status: number, body: string): BatchAnswer {
  const { status: word, data } = reply.parse(JSON.parse(body))
  if (word !== (status === 200 ? 'success' : 'partial'))
    throw new Error(`${String(status)} ${word}`)
  return { status, ...data, short: data.results.map(inShort) }
}

function inShort(one: BatchResult): string {
  if ('error' in one) return `${String(one.status)} ${one.error.code}`
  return `${String(one.status)}${one.replayed ? ' replayed' : ''}`
}

/** Sends a batch with a key that may write. */
export async function postBatch(
  server: FastifyInstance,
  items: readonly unknown[],
  headers: Readonly<Record<string, string>> = {},
): Promise<BatchAnswer & { readonly headers: LightMyRequestResponse['headers'] }> {
  const { statusCode, body, headers: told } = await post(server, '/batch', { items }, headers)
  return { ...batchAnswer(statusCode, body), headers: told }
}

export const create = (id: string, more: object = {}) => ({
  op: 'create_entity',
  external_id: id,
  ...more,
})

export const record = (id: string, more: object = {}) => ({
  op: 'record_event',
  entity_external_id: id,
  name: 'login',
  ...more,
})

export const update = (id: string, more: object = { set: { a: 1 } }) => ({
  op: 'update_entity',
  external_id: id,
  ...more,
})
