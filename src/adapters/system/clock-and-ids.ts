import type { Clock, IdGenerator } from '../../application/ports/clock-and-ids.js'
import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'
import { setImmediate as immediate, setTimeout as wait } from 'node:timers/promises'

export const systemClock: Clock = { now: () => new Date() }

/** Generates UUIDs of version 7. They grow with time, so a store inserts near its latest entries. */
export const uuidGenerator: IdGenerator = { next: () => v7({ random: randomBytes() }) }

const bytesOfId = 16
/**
 * A pool of random bytes for many ids. A system call for each id would cost four times as much as
 * the rest of its generation.
 */
const pool = new Uint8Array(256 * bytesOfId)
let used = pool.length

/** Returns 16 random bytes from the pool. The returned array is overwritten after 255 more calls. */
function randomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytesOfId
  return pool.subarray(used - bytesOfId, used)
}

/**
 * Waits for this number of milliseconds. With 0, waits until all work that is ready has run. Ends
 * the wait early when the signal is aborted. Never rejects.
 */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0) {
    await immediate()
    return
  }
  // Ignores the rejection: the wait rejects only when the signal is aborted, which is a normal end
  // here.
  await wait(milliseconds, undefined, { signal }).catch(() => undefined)
}
