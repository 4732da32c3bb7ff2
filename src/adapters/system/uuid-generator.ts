import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'
import type { IdGenerator } from '../../application/ports/id-generator.js'

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
