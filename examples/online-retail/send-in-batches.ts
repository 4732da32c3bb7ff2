import { z } from 'zod'
import type { HttpClient, Reply } from './http-client.js'
import type { SendOnce } from './write.js'

/** The service takes 4 MiB. */
const maxBatchBytes = 4_000_000

const batchReply = z.object({
  data: z.object({
    results: z.array(z.looseObject({ status: z.number(), replayed: z.boolean().default(false) })),
  }),
})

/** A write that waits for its batch. */
interface Waiting {
  readonly json: string
  readonly timeoutMs: number
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes go out together, at most `size` in one `POST /batch`, and each gets the reply that its single
 * request would have got. A batch never waits until it is full: it takes what is there. While
 * `inFlight` batches are under way, writes gather for the next one.
 */
export function sendInBatches(
  client: Pick<HttpClient, 'send'>,
  { size, inFlight }: { readonly size: number; readonly inFlight: number },
): SendOnce {
  const waiting: Waiting[] = []
  let underWay = 0

  const sendBatch = async (batch: readonly Waiting[]): Promise<void> => {
    const body = `{"items":[${batch.map(({ json }) => json).join(',')}]}`
    const timeoutMs = Math.max(...batch.map((write) => write.timeoutMs))
    underWay += 1
    try {
      const reply = await client.send({ method: 'POST', path: '/batch', body }, timeoutMs)
      const replies = repliesIn(reply, batch.length)
      replies.forEach((one, index) => batch[index]?.resolve(one))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      underWay -= 1
      sendSoon()
    }
  }
  /** Not at once: what the same replies have set free goes out together. */
  const sendSoon = (): void => {
    setImmediate(() => {
      while (underWay < inFlight && waiting.length > 0) void sendBatch(takeBatch(waiting, size))
    })
  }
  return (write, timeoutMs) =>
    new Promise((resolve, reject) => {
      waiting.push({ json: JSON.stringify(write), timeoutMs, resolve, reject })
      if (waiting.length === 1) sendSoon()
    })
}

/** At least one, at most `size`, and no more than one body may hold. */
function takeBatch(waiting: Waiting[], size: number): readonly Waiting[] {
  let bytes = 0
  const tooMany = waiting.findIndex(({ json }, index) => {
    bytes += Buffer.byteLength(json) + 1
    return index > 0 && (index === size || bytes > maxBatchBytes)
  })
  return waiting.splice(0, tooMany === -1 ? waiting.length : tooMany)
}

/** One for each write, in their order. */
function repliesIn(reply: Reply, count: number): readonly Reply[] {
  const results = batchReply.safeParse(reply.body).data?.data.results
  if (results?.length === count) {
    const { retryAfter } = reply
    return results.map((body) => ({
      status: body.status,
      replayed: body.replayed,
      retryAfter,
      body,
    }))
  }
  // What refuses the batch as a whole refuses each; anything else is no reply of Dossier's to a batch.
  const body = reply.status >= 400 ? reply.body : undefined
  return Array.from({ length: count }, () => ({ ...reply, body }))
}
