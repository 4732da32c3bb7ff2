import type { ReadModel } from '../../../application/reading/ports/read-model.js'
import type { Receipt } from '../../../application/recording/ports/event-store.js'

/**
 * What was stored under a key of a stream, and up to which position all facts were looked at. Rejects
 * when there is no answer in time.
 */
export type FindKey = (
  stream: string,
  key: string,
) => Promise<{ readonly upTo: number; readonly stored: Receipt | undefined }>

/** How long an append waits for the read model, in milliseconds. */
const maxKeyWaitMs = 100

/** Finds keys of facts that are too old to be looked for in the store. */
export function findKeyIn(readModel: Pick<ReadModel, 'query'>): FindKey {
  return async (stream, key) => {
    const want = { waitMs: 0, answerMs: maxKeyWaitMs }
    const { value, position: upTo } = await readModel.query('keyed', { stream, key }, want)
    if (value === undefined) return { upTo, stored: undefined }
    const { facts, position } = value
    return { upTo, stored: { facts, position: String(position), replayed: true } }
  }
}
