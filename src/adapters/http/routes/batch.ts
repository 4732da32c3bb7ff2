import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { maxViolations } from '../../../domain/properties.js'
import { isJsonObject } from '../../../domain/json.js'
import { broken, isEmpty, tooMany, type RuleViolation } from '../../../domain/rule-violation.js'
import { rateLimited } from '../auth/authenticate.js'
import { HttpFault } from '../errors/faults.js'
import { parsedBody } from '../requests/json-body.js'
import { noQuery, queryOf } from '../requests/query.js'
import { runItems } from '../requests/run-items.js'
import { valueOf } from '../requests/validate.js'
import { ItemReaders, type Item } from './batch-items.js'
import { batchReply, BatchResults } from './batch-results.js'
import { header } from '../schemas/components.js'
import { write } from './operations.js'
import type { RouteParts } from './route-parts.js'
import { bodyOf, plainPath, urlOf, type Route } from './route.js'
import { listOf, noClock } from '../schemas/common.js'
import type { WriteAnswer } from '../replies/write-reply.js'

/** The largest body of a batch, in bytes. It replaces the limit of other bodies. */
export const batchBodyLimit = 4_194_304

export const maxItems = 1_000

const batchBody = z.strictObject({ items: listOf<Item>(itemsViolations) })

/**
 * The schema of the body in the OpenAPI document. `batchBody` checks only the list, because each
 * item is checked on its own.
 */
const describedBody = z
  .strictObject({
    items: z
      .array(new ItemReaders(noClock).schema())
      .min(1)
      .max(maxItems)
      .meta({ description: 'The writes, in order.' }),
  })
  .meta({ id: 'NewBatch' })

function itemsViolations(items: readonly unknown[]): readonly RuleViolation[] {
  if (items.length === 0) return [isEmpty]
  if (items.length > maxItems) return [tooMany(maxItems, 'items')]
  return items.flatMap((item, index) =>
    isJsonObject(item) ? [] : [broken('wrong_type', 'must be a JSON object', [index])],
  )
}

const path = plainPath('/batch')

/** `POST /batch`: runs many writes in one request, each with its own outcome. */
export const postBatch: Route = {
  method: 'post',
  path,
  operation: write({
    operationId: 'writeBatch',
    summary: 'Write many items in one request. The batch is not atomic: check each result.',
    path,
    keyed: false,
    ofItems: true,
    body: describedBody,
    replies: {
      '200': {
        reply: batchReply,
        description: 'Every item is stored.',
        headers: { Position: header('Position') },
      },
      '207': {
        reply: batchReply,
        description:
          'Some items are not stored, as the results show. Items with 503 and 504 can be ' +
          'sent again with their idempotency keys.',
        headers: {
          Position: header('HighestPosition'),
          'Retry-After': header('ItemsRetryAfter'),
        },
      },
    },
    faults: [],
  }),
  addTo: (server, parts) => {
    const readers = new ItemReaders(parts.clock)
    const checkBody = bodyOf(batchBody).checkBy(parts.clock)
    const config = { readsBodyLater: true }
    const options = { ...parts.guards.batch, bodyLimit: batchBodyLimit, config }
    server.post<{ Body: Buffer }>(urlOf(path), options, (request, reply) => {
      const begun = performance.now()
      const work = async () => {
        const body = await parts.turns.run(request.keyId, parsedBody(request.body))
        queryOf(request, noQuery)
        refuseIdempotencyKey(request)
        const { items } = valueOf(checkBody(body))
        const results = await resultsOf(items, request, begun, { ...parts, readers })
        return results.send(reply)
      }
      return parts.atWork.run(request, request.body, parts.batchWaitMs, work)
    })
  },
}

function itemAt(index: number): string {
  return `/items/${String(index)}`
}

function refuseIdempotencyKey({ headers }: FastifyRequest): void {
  if (headers['idempotency-key'] === undefined) return
  const message = 'A batch has no Idempotency-Key. Give each item its own, as "idempotency_key".'
  throw new HttpFault('malformed_request', message)
}

/**
 * Runs the items of a batch. Refuses an invalid item, and still runs the other items. Throws
 * `rate_limited` for the whole batch.
 */
async function resultsOf(
  items: readonly Item[],
  request: FastifyRequest,
  begun: number,
  parts: RouteParts & { readonly readers: ItemReaders },
): Promise<BatchResults> {
  const { useCases, faults: answers, rateLimit, readers, batchWaitMs, turns } = parts
  // Skips the rate limit for a batch that has waited too long. Such a batch starts no items.
  const limit = performance.now() - begun < batchWaitMs ? rateLimit : undefined
  const seconds = await limit?.take(request.keyId, items.length)
  if (seconds !== undefined) throw rateLimited(seconds)
  const details = new DetailBudget()
  const faults = answers.ofBatch(request, itemAt)
  const results = new BatchResults(request.id)
  const context = { requestId: request.id, cameAt: begun }
  await runItems(request, turns, {
    sent: items,
    read: (item) =>
      details.spend((maxDetails) => readers.read(item, useCases, context, maxDetails)),
    run: (ready) => {
      const waitedMs = performance.now() - begun
      return useCases.runBatch(ready, { waitedMs, owner: request.keyId, turns })
    },
    add: (outcome: PromiseSettledResult<WriteAnswer>, index) => {
      if (outcome.status === 'fulfilled') results.addStored(outcome.value)
      else {
        const isKeyed = items[index]?.['idempotency_key'] !== undefined
        results.addRefused(faults.add(outcome.reason, index), isKeyed)
      }
    },
  })
  faults.writeLog()
  return results
}

/**
 * Limits the size of the details in the reply to a batch. The path of each detail repeats the names
 * of its parents, so the details of an item can be a hundred times as large as the item. When the
 * limit is reached, each further item gets only its first detail.
 */
class DetailBudget {
  private left = batchBodyLimit

  /** Calls `read` with the maximum number of details that it may report. Rethrows its errors. */
  spend<T>(read: (maxDetails: number) => T): T {
    try {
      return read(this.left > 0 ? maxViolations : 1)
    } catch (reason) {
      this.take(reason)
      throw reason
    }
  }

  private take(reason: unknown): void {
    if (!(reason instanceof HttpFault)) return
    for (const { path, message } of reason.details) this.left -= path.length + message.length
  }
}
