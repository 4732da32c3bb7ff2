import { z } from 'zod'
import type { ReadStatus } from '../../../application/reading/ports/read-model.js'
import { scopes } from '../ports/key-ring.js'
import { limit } from '../requests/parameters.js'
import { noQuery, queryFault } from '../requests/query.js'
import { keyedRoute } from './declared-open.js'
import { plainPath } from './route.js'
import { isoOf, success, timestamp } from './schemas.js'

const keyReply = success({
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  limits: z.strictObject({
    requests_a_second: z
      .int()
      .nullable()
      .meta({ description: 'Of this key, at each process; null: as many as there is room for.' }),
    body_bytes: z.int(),
    batch_bytes: z.int(),
    batch_items: z.int(),
  }),
}).meta({ id: 'KeyReply' })

/** Who one is. */
export const getKey = keyedRoute({
  operationId: 'getKey',
  summary: 'The name of the key that is sent, what it may do, and how much at once.',
  description: 'The key.',
  path: plainPath('/key'),
  scope: 'any',
  query: noQuery,
  reply: keyReply,
  answer: ({ request: { keyHolder } }, { limits }) => ({
    name: keyHolder?.name ?? '',
    scopes: keyHolder?.scopes ?? [],
    limits,
  }),
})

const after = z
  .string()
  .optional()
  .meta({ description: 'The `next_after` of the page before: only what was refused since then.' })

const refusalsReply = success({
  items: z.array(
    z.strictObject({
      id: z.string(),
      at: timestamp,
      request_id: z.string(),
      key: z.string().meta({ description: 'The name of the key that it came with.' }),
      method: z.string(),
      route: z.string().meta({ description: 'The pattern of the path.' }),
      status: z.int(),
      code: z.string(),
      message: z.string().meta({ description: 'What the code means, for people.' }),
      details: z.array(
        z.strictObject({
          path: z
            .string()
            .meta({ description: 'As in the reply; "…" for what may name a person.' }),
          code: z.string(),
        }),
      ),
    }),
  ),
  next_after: z.string().meta({ description: 'Send it as `after`.' }),
  reset: z.boolean().meta({
    description:
      'Something is missing between `after` and the first item: another process answers, or it has gone.',
  }),
  unauthenticated: z
    .int()
    .meta({ description: 'Requests without a valid key since the start; they are not listed.' }),
}).meta({ id: 'RefusalsReply' })

export const getRefusals = keyedRoute({
  operationId: 'getRefusals',
  summary: 'The latest writes that this process refused with 4xx: without a value of them.',
  description: 'The oldest first: of the latest 1,000, as each key has its share of them.',
  path: plainPath('/refusals'),
  scope: 'read',
  query: z.strictObject({ after, limit }),
  reply: refusalsReply,
  answer: ({ query }, { refusals }) => {
    const page = refusals.page(query.after, query.limit)
    if (page === undefined) {
      throw queryFault('after', 'bad_characters', 'must be the `next_after` of a page before')
    }
    return page
  },
})

const position = z.string().regex(/^[0-9]+$/)

const statusReply = success({
  version: z.string(),
  store_kind: z
    .string()
    .meta({ description: 'Which store it is.', examples: ['sqlite', 'eventstoredb', 'memory'] }),
  store: z
    .enum(['ready', 'store_unavailable', 'clock_untrusted', 'shutting_down'])
    .meta({ description: 'Whether the store takes writes; why not.' }),
  reads: z
    .enum(['ready', 'building', 'stalled', 'off'])
    .meta({ description: '`stalled`: it cannot go on with the log; `off`: READ_MODEL=off.' }),
  head: position.nullable().meta({
    description: 'Of the last fact that is known to be stored; null without a read model.',
  }),
  position: position.nullable().meta({ description: 'Of the last fact that reads know.' }),
  lag_positions: z
    .int()
    .nullable()
    .meta({ description: 'From there to `head`: facts, or bytes of EventStoreDB.' }),
  log_time: timestamp.nullable(),
  segments: z
    .strictObject({
      unpublished: z.int().meta({
        description: 'Enter and leave facts that are derived here and not in the log yet.',
      }),
      unpublished_since: timestamp.nullable(),
      diverged: z.int(),
    })
    .nullable(),
}).meta({ id: 'StatusReply' })

export const getStatus = keyedRoute({
  operationId: 'getStatus',
  summary: 'How this process is: its store, how far its reads are, what it has to publish.',
  description: 'Whatever state it is in.',
  path: plainPath('/status'),
  scope: 'read',
  query: noQuery,
  reply: statusReply,
  answer: async (_asked, { useCases, lifecycle, version, storeKind }) => ({
    version,
    store_kind: storeKind,
    store: lifecycle.state === 'closing' ? 'shutting_down' : await useCases.checkReadiness(),
    ...readsOf(useCases.reading?.status()),
  }),
})

function readsOf(status: ReadStatus | undefined): object {
  if (status === undefined) {
    return {
      reads: 'off',
      head: null,
      position: null,
      lag_positions: null,
      log_time: null,
      segments: null,
    }
  }
  const { applied, reached, newest, logTime, segments } = status
  const head = Math.max(newest, applied.position)
  return {
    reads: status.isBuilding ? 'building' : status.trouble === undefined ? 'ready' : 'stalled',
    head: String(head),
    position: String(applied.position),
    lag_positions: Math.max(0, head - Math.max(reached, applied.position)),
    log_time: isoOf(logTime === 0 ? undefined : logTime),
    segments:
      segments === undefined
        ? null
        : {
            unpublished: segments.figures['unpublishedChanges'] ?? 0,
            unpublished_since: isoOf(segments.figures['unpublishedSince']),
            diverged: segments.figures['diverged'] ?? 0,
          },
  }
}
