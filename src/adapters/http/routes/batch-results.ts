import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { faultHeaders, type HttpFault } from '../errors/faults.js'
import { faultData } from '../errors/fault-body.js'
import { count, fault as faultSchema, sentProperties } from '../schemas/common.js'
import { jsonType, type WriteAnswer } from '../replies/write-reply.js'

const storedResult = z.strictObject({
  status: z
    .literal([200, 201])
    .meta({ description: '201 means that the item created an entity, event or other resource.' }),
  data: sentProperties.meta({
    description: 'The data of the reply to the equivalent single request.',
  }),
  position: z.string().meta({ description: 'The position of the stored fact in the whole store.' }),
  replayed: z
    .boolean()
    .meta({ description: 'Whether an earlier request with the same key had stored the fact.' }),
})

const refusedResult = z.strictObject({
  status: z.int().min(400).max(599).meta({ description: 'The status of the equivalent request.' }),
  error: faultSchema,
})

const counts = z.strictObject({
  stored: count.meta({ description: 'The number of items that this batch stored.' }),
  replayed: count.meta({
    description:
      'The number of items that an earlier request with the same idempotency key had stored.',
  }),
  refused: count.meta({ description: 'The number of items that this batch did not store.' }),
  unknown: count.meta({
    description: 'The number of items that may be stored. Their status is 500 or 504.',
  }),
})

export const batchReply = z
  .strictObject({
    status: z.enum(['success', 'partial']),
    data: z.strictObject({
      results: z.array(z.union([storedResult, refusedResult]).meta({ id: 'ItemResult' })).meta({
        description:
          'The results in the order of the items. Each result equals the reply to the equivalent ' +
          'single request.',
      }),
      counts: counts.meta({ description: 'The numbers of items by outcome.' }),
    }),
  })
  .meta({ id: 'BatchReply' })

type Reply = z.infer<typeof batchReply>
type Result = Reply['data']['results'][number]

/** The number of results that are serialised to JSON together. */
const resultsAtOnce = 32

/** Collects the results of a batch's items, in the order of the items, and sends the reply. */
export class BatchResults {
  private readonly results: Result[] = []
  /**
   * The JSON texts of the results so far. Serialising all results at the end would block the event
   * loop for a long time.
   */
  private readonly texts: string[] = []
  private readonly counts = { stored: 0, replayed: 0, refused: 0, unknown: 0 }
  /** The highest position of a stored item; -1 when no item is stored. */
  private highest = -1n
  private retryAfter = 0

  constructor(private readonly requestId: string) {}

  addStored({ status, data, position, replayed }: WriteAnswer): void {
    this.add({ status, data, position, replayed })
    this.counts[replayed ? 'replayed' : 'stored'] += 1
    const place = BigInt(position)
    if (place > this.highest) this.highest = place
  }

  /** Adds the result of a refused item. `keyed` says whether the item has an idempotency key. */
  addRefused(fault: HttpFault, keyed: boolean): void {
    const kind = keyed ? 'keyedWrite' : 'write'
    this.add({ status: fault.status, error: faultData(fault, this.requestId, kind) })
    this.counts[mayBeStored(fault) ? 'unknown' : 'refused'] += 1
    this.retryAfter = Math.max(this.retryAfter, Number(faultHeaders(fault)['Retry-After'] ?? 0))
  }

  private add(result: Result): void {
    this.results.push(result)
    if (this.results.length === resultsAtOnce) this.write()
  }

  private write(): void {
    if (this.results.length === 0) return
    this.texts.push(JSON.stringify(this.results).slice(1, -1))
    this.results.length = 0
  }

  send(reply: FastifyReply): FastifyReply {
    this.write()
    const { counts } = this
    const isWhole = counts.refused + counts.unknown === 0
    const status: Reply['status'] = isWhole ? 'success' : 'partial'
    const data = `{"results":[${this.texts.join(',')}],"counts":${JSON.stringify(counts)}}`
    reply.code(isWhole ? 200 : 207)
    if (this.highest >= 0n) reply.header('Position', String(this.highest))
    if (this.retryAfter > 0) reply.header('Retry-After', String(this.retryAfter))
    return reply.type(jsonType).send(`{"status":"${status}","data":${data}}`)
  }
}

function mayBeStored({ status }: HttpFault): boolean {
  return status === 500 || status === 504
}
