import { z } from 'zod'
import type { ReadStatus } from '../../../application/reading/ports/read-model.js'
import type { RefusalKind } from '../errors/refusals.js'
import { scopes } from '../ports/key-ring.js'
import { cursor, limit } from '../requests/parameters.js'
import { noQuery, queryFault } from '../requests/query.js'
import { authenticatedRoute } from './declared-open.js'
import { plainPath } from './route.js'
import { isoOf, itemsOf, success, timestamp } from '../schemas/common.js'

const keyReply = success(
  {
    name: z.string().meta({ description: 'The name of the key.' }),
    scopes: z.array(z.enum(scopes)).meta({ description: 'The permissions of the key.' }),
    limits: z
      .strictObject({
        requests_a_second: z
          .int()
          .nullable()
          .meta({
            description:
              'The maximum number of requests per second that each process accepts from this key. Null ' +
              'without a limit.',
          }),
        body_bytes: z.int().meta({ description: 'The largest body, in bytes.' }),
        batch_bytes: z.int().meta({ description: 'The largest body of a batch, in bytes.' }),
        batch_items: z.int().meta({ description: 'The maximum number of items in a batch.' }),
      })
      .meta({ description: 'The limits of the key.' }),
  },
  'Key',
).meta({ id: 'KeyReply' })

/** `GET /key`: describes the API key that sent the request. */
export const getKey = authenticatedRoute({
  operationId: 'getKey',
  summary: 'The name, the scopes and the limits of the key that sent the request.',
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

const refusalsReply = success(
  {
    items: itemsOf(
      z
        .strictObject({
          id: z.string().meta({ description: 'The id of the refusal.' }),
          at: timestamp,
          request_id: z.string().meta({ description: 'The id of the request.' }),
          key: z.string().meta({ description: 'The name of the key of the request.' }),
          kind: z.enum(['read', 'write']).meta({
            description: 'Whether the request reads or writes. A preview reads.',
          }),
          method: z.string().meta({ description: 'The method of the request.' }),
          route: z.string().meta({ description: 'The pattern of the path.' }),
          status: z.int().meta({ description: 'The status of the reply.' }),
          code: z.string().meta({ description: 'The code of the fault.' }),
          message: z.string().meta({ description: 'The message of the code, for people.' }),
          details: z
            .array(
              z.strictObject({
                path: z.string().meta({
                  description:
                    'The path in the reply, with "…" for names that could identify a customer.',
                }),
                code: z.string().meta({ description: 'The code of the broken rule.' }),
              }),
            )
            .meta({ description: 'The rules that the request broke.' }),
        })
        .meta({ id: 'Refusal' }),
    ),
    next_cursor: z.string().meta({
      description:
        'The `cursor` of the next page. Without more refusals now, send it later, when there are ' +
        'more.',
    }),
    reset: z.boolean().meta({
      description:
        'Whether refusals between `cursor` and the first item may be missing. This happens when ' +
        'another process replies, or when the list has dropped them.',
    }),
    unauthenticated: z.int().meta({
      description:
        'The number of requests without a valid key since the process started. These requests are ' +
        'not listed.',
    }),
  },
  'Refusals',
).meta({ id: 'RefusalsReply' })

export const getRefusals = authenticatedRoute({
  operationId: 'getRefusals',
  summary: 'The latest requests that this process refused with 4xx, without the sent values.',
  description:
    'Oldest first. The list has up to 1,000 refusals, shared by all keys. Previews and reads with the status 404 are not listed.',
  path: plainPath('/refusals'),
  scope: 'read',
  query: z.strictObject({
    include: z.enum(['reads']).optional().meta({
      description: 'Lists refused reads, too. Without it, the list has refused writes alone.',
    }),
    cursor,
    limit,
  }),
  reply: refusalsReply,
  answer: ({ query }, { refusals }) => {
    const kinds: readonly RefusalKind[] =
      query.include === undefined ? ['write'] : ['write', 'read']
    const page = refusals.page(query.cursor, query.limit, kinds)
    if (page === undefined) {
      throw queryFault('cursor', 'bad_characters', 'must be the `next_cursor` of a previous page')
    }
    return page
  },
})

const position = z.string().regex(/^[0-9]+$/)

const statusReply = success(
  {
    version: z.string().meta({ description: 'The version of the service.' }),
    store_kind: z
      .string()
      .meta({ description: 'The kind of store.', examples: ['sqlite', 'eventstoredb', 'memory'] }),
    store: z.enum(['ready', 'store_unavailable', 'clock_untrusted', 'shutting_down']).meta({
      description: '`ready` if the store accepts writes, and otherwise the reason why it does not.',
    }),
    reads: z.enum(['ready', 'building', 'stalled', 'off']).meta({
      description:
        'The state of the read model. `stalled`: it cannot apply the next fact. `off`: ' +
        'READ_MODEL=off.',
    }),
    head: position.nullable().meta({
      description:
        'The position of the last fact that is known to be stored. Null without a read model.',
    }),
    position: position
      .nullable()
      .meta({ description: 'The position of the last fact that reads include.' }),
    lag_positions: z.int().nullable().meta({
      description: 'The distance from `position` to `head`, in facts, or on EventStoreDB in bytes.',
    }),
    log_time: timestamp
      .nullable()
      .meta({ description: 'The highest instant in the fact log up to `position`.' }),
    segments: z
      .strictObject({
        unpublished: z.int().meta({
          description:
            'The number of membership changes that this process has derived but that are not in the ' +
            'fact log yet.',
        }),
        unpublished_since: timestamp.nullable().meta({
          description: 'When the oldest of these changes was derived. Null if there are none.',
        }),
        diverged: z.int().meta({ description: 'The number of segments with the status diverged.' }),
      })
      .nullable()
      .meta({ description: 'The state of segments. Null without a read model.' }),
  },
  'ServiceStatus',
).meta({ id: 'StatusReply' })

export const getStatus = authenticatedRoute({
  operationId: 'getStatus',
  summary: 'The state of this process: its store, its read model, and its unpublished changes.',
  description: 'The state of the process, even if it is unhealthy.',
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
