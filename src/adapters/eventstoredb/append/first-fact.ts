import type { Receipt } from '../../../application/recording/ports/event-store.js'
import { Refusal, StreamErased } from '../../../application/ports/refusal.js'
import { unavailable } from '../client/answer.js'
import type { StreamAccess } from './stream-access.js'

/** With the pauses between them well over half a second, in which a commit becomes readable. */
const maxReads = 6

/**
 * The stream's first fact. Whoever wants it was refused a creation, which writers do before readers see
 * what refused it: so a stream that is missing is read again. Rejects as `EventStore.append` does under
 * `first`.
 */
export async function readFirst(access: StreamAccess): Promise<Receipt> {
  for (let reads = 1; ; reads += 1) {
    const receipt = await receiptOfFirst(access)
    if (receipt !== undefined) return receipt
    if (reads === maxReads || access.timeIsUp())
      throw new Refusal('stream_missing', 'the stream is missing')
    await access.pause()
  }
}

async function receiptOfFirst(access: StreamAccess): Promise<Receipt | undefined> {
  try {
    const [first] = (await access.read({ from: 'start', maxCount: 1 })) ?? []
    if (first === undefined) return undefined
    return { position: String(first.position), facts: [first.fact], replayed: true }
  } catch (error) {
    throw error instanceof StreamErased ? error : unavailable(error)
  }
}
