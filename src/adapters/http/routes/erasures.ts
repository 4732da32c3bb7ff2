import { z } from 'zod'
import { nodeGone, type Erasure } from '../../../domain/erasure-receipts.js'
import { readCursor, cursorText } from '../requests/cursor.js'
import { cursor, limit } from '../requests/parameters.js'
import { noQuery } from '../requests/query.js'
import { positionFormat } from '../requests/request-headers.js'
import { header } from '../schemas/components.js'
import {
  erasureBody,
  listReply,
  type receipt,
  receiptOrDryRunReply,
  receiptReply,
  text,
  type wouldRemove,
} from '../schemas/erasure-schemas.js'
import { authenticatedRoute } from './declared-open.js'
import { keyFaults } from './operations.js'
import { writeRoute } from './declared-write.js'
import { bodyOf, emptyBody, plainPath } from './route.js'
import type { RouteParts } from './route-parts.js'
import { contextOf } from '../replies/write-reply.js'

/** Endpoints that erase entities: the requests and the receipts. */

const erasureQuery = z.strictObject({
  dry_run: z
    .preprocess((text) => words.get(text) ?? text, z.boolean())
    .default(false)
    .meta({
      description: 'If true, nothing is erased, and the reply says what would be erased.',
      override: { default: false },
    }),
})

const words = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
])

const erasurePath = (template: string) => ({
  template,
  schema: z.strictObject({
    erasure: z.string().max(64).meta({ description: 'The id of the erasure.' }),
  }),
})

function receiptOf(
  erasure: Erasure,
  { useCases }: Pick<RouteParts, 'useCases'>,
): z.infer<typeof receipt> {
  const { recipients, confirmations } = erasure
  const isRecipient = ({ recipient }: { readonly recipient: string }) =>
    recipients.includes(recipient)
  const waiting = recipients.filter(
    (name) => !confirmations.some(({ recipient }) => recipient === name),
  )
  return {
    erasure: erasure.id,
    entity_id: erasure.entityId,
    suppress: erasure.suppress,
    reference: erasure.reference ?? null,
    requested_at: erasure.requestedAt,
    effective: erasure.effective ?? null,
    removed: erasure.removed ?? null,
    places: [
      ...erasure.places.map((place) => shownPlace(erasure, place)),
      ...confirmations.filter(isRecipient).map(({ recipient, position, at }) => ({
        place: recipient,
        state: 'confirmed' as const,
        at,
        verified: `it says so, up to ${position}`,
      })),
      ...waiting.map((one) => ({ place: one, state: 'waiting' as const })),
    ],
    suppression_lifted_at: erasure.liftedAt ?? null,
    remains: [
      ...useCases.erasureRemains,
      ...waiting.map((one) => `What ${one} has: it has not confirmed.`),
    ],
  }
}

function shownPlace(erasure: Erasure, place: Erasure['places'][number]) {
  const said = place.state === 'purged' ? undefined : nodeGone(erasure, place)
  if (said === undefined) return place
  const verified = 'somebody says that the node and its disk are gone: nothing was looked at'
  return {
    place: place.place,
    node: said.recipient,
    state: 'confirmed' as const,
    at: said.at,
    verified,
  }
}

const eraseEntity = writeRoute({
  operationId: 'eraseEntity',
  summary:
    'Erase an entity. No request finds it any more, and the service then removes its facts ' +
    'from the store.',
  method: 'post',
  path: plainPath('/erasures'),
  scope: 'erase',
  query: erasureQuery,
  context: contextOf,
  body: bodyOf(erasureBody),
  replies: {
    '200': {
      reply: receiptOrDryRunReply,
      description:
        'Nothing is stored: the request is a repeat or a dry run, or the entity is already erased.',
    },
    '202': {
      reply: receiptReply,
      description: 'No request finds the entity any more. The facts are being removed.',
      headers: { Location: header('Location') },
    },
  },
  faults: ['entity_not_found', 'not_ready', 'not_possible', 'entity_erased', 'read_model_behind'],
  answer: async ({ body, context, query }, parts) => {
    const { useCases, readWaitMs } = parts
    const { external_id: externalId, suppress = true, recipients = [], reference } = body
    if (query?.dry_run === true) {
      const { facts, keys, segments, entityId, position } = await useCases.erasureDryRun(
        externalId,
        readWaitMs,
      )
      const data: z.infer<typeof wouldRemove> = {
        entity_id: entityId,
        facts,
        keys,
        segments: [...segments],
      }
      return { status: 200, data, position: String(position), replayed: false }
    }
    const request = { externalId, suppress, recipients, reference, ...context }
    const { erasure, position, replayed } = await useCases.erase(request)
    return {
      status: replayed ? 200 : 202,
      data: receiptOf(erasure, parts),
      position,
      replayed,
      ...(replayed ? {} : { location: `/erasures/${erasure.id}` }),
    }
  },
})

const confirmErasure = writeRoute({
  operationId: 'confirmErasure',
  summary: 'Confirm that a recipient has processed the facts up to a position after the erasure.',
  method: 'post',
  path: erasurePath('/erasures/{erasure}/confirmations'),
  scope: 'read',
  query: noQuery,
  keyed: false,
  context: ({ id, keyHolder }) => ({
    requestId: id,
    mayErase: keyHolder?.scopes.includes('erase') === true,
  }),
  body: bodyOf(
    z
      .strictObject({
        recipient: text(
          'The name of the recipient. With the scope erase, it may be the name of a node whose disk ' +
            'is gone for good.',
        ),
        position: z
          .string()
          .regex(positionFormat)
          .meta({ description: 'The position up to which the recipient has processed the facts.' }),
      })
      .meta({ id: 'ErasureConfirmation' }),
  ),
  replies: { '200': { reply: receiptReply, headers: { Position: header('Position') } } },
  faults: ['erasure_not_found', 'read_model_behind'],
  answer: async ({ path, body, context }, parts) => {
    const request = { erasureId: path.erasure, ...body, ...context }
    const { erasure, position } = await parts.useCases.confirmErasure(request)
    return { status: 200, data: receiptOf(erasure, parts), position, replayed: false }
  },
})

const liftSuppression = writeRoute({
  operationId: 'liftSuppression',
  summary: 'Permit reuse of the external_id of an erased entity.',
  method: 'delete',
  path: erasurePath('/erasures/{erasure}/suppression'),
  scope: 'erase',
  query: noQuery,
  keyed: false,
  context: ({ id }) => ({ requestId: id }),
  body: emptyBody,
  replies: { '200': { reply: receiptReply, headers: { Position: header('Position') } } },
  faults: ['erasure_not_found', 'not_possible', 'not_ready'],
  answer: async ({ path, context }, parts) => {
    const request = { erasureId: path.erasure, ...context }
    const { erasure, position } = await parts.useCases.liftSuppression(request)
    return { status: 200, data: receiptOf(erasure, parts), position, replayed: false }
  },
})

const getErasure = authenticatedRoute({
  operationId: 'getErasure',
  summary: 'The current receipt of an erasure.',
  description: 'The receipt.',
  path: erasurePath('/erasures/{erasure}'),
  scope: 'erase',
  query: noQuery,
  reply: receiptReply,
  faults: [...keyFaults, 'erasure_not_found', 'validation_failed', 'overloaded'],
  answer: async ({ path }, parts) =>
    receiptOf(await parts.useCases.readErasure(path.erasure), parts),
})

const scope = ['erasures']

const listErasures = authenticatedRoute({
  operationId: 'listErasures',
  summary: 'The receipts of all erasures, in the order of their requests.',
  description:
    'A page of receipts. With external_id, contains only the receipt of the erasure that ' +
    'blocks reuse of this id, if there is one.',
  path: plainPath('/erasures'),
  scope: 'erase',
  query: z.strictObject({
    cursor,
    limit,
    external_id: z.string().optional().meta({
      description: 'Only the receipt of the erasure that blocks reuse of this external_id.',
    }),
  }),
  reply: listReply,
  faults: [...keyFaults, 'overloaded'],
  answer: async ({ query, request }, parts) => {
    const { external_id: externalId } = query
    if (externalId !== undefined) {
      if (query.cursor !== undefined) readCursor([...scope, externalId], query.cursor)
      const found = await parts.useCases.findBlockingErasure(externalId, request.id)
      return { items: found === undefined ? [] : [receiptOf(found, parts)], next_cursor: null }
    }
    const after = query.cursor === undefined ? 0 : Number(readCursor(scope, query.cursor)[0])
    const { items, next } = await parts.useCases.listErasures({ after, limit: query.limit })
    return {
      items: items.map((erasure) => receiptOf(erasure, parts)),
      next_cursor: next === undefined ? null : cursorText(scope, [next]),
    }
  },
})

export const erasureRoutes = [
  eraseEntity,
  listErasures,
  getErasure,
  confirmErasure,
  liftSuppression,
]
