import type { Clock, IdGenerator } from '../../application/ports/clock-and-ids.js'
import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'
import { setImmediate as immediate, setTimeout as wait } from 'node:timers/promises'

export const systemClock: Clock = { now: () => new Date() }

/** UUID version 7: they grow with time, so that a store appends where it appended last. */
export const uuidGenerator: IdGenerator = { next: () => v7({ random: randomBytes() }) }

const bytesOfId = 16
/** A call of the operating system for each id alone costs four times as much as the id. */
const pool = new Uint8Array(256 * bytesOfId)
let used = pool.length

/** Sixteen random bytes, valid until the next call but 255. */
function randomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytesOfId
  return pool.subarray(used - bytesOfId, used)
}

/** After 0 ms: when all work that is ready has run. Ends early by the signal; never rejects. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0) {
    await immediate()
    return
  }
  // It rejects with the signal alone.
  await wait(milliseconds, undefined, { signal }).catch(() => undefined)
}
