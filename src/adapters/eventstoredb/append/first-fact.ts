import type { Receipt } from '../../../application/recording/ports/event-store.js'
import { Refusal, StreamErased } from '../../../application/ports/refusal.js'
import { unavailable } from '../client/answer.js'
import type { StreamAccess } from './stream-access.js'

/**
 * The maximum number of reads of the first fact. The reads and the pauses between them take more
 * than half a second. Every commit is readable by then.
 */
const maxReads = 6

/**
 * Returns the append result of a stream's first fact. Called after the store refused a creation
 * because the stream exists. Readers may see a new stream later than writers do, so a stream that
 * reads as missing is read again. Rejects as `EventStore.append` does when `first` is expected.
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
