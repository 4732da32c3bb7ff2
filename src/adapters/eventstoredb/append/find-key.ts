import type { ReadModel } from '../../../application/reading/ports/read-model.js'
import type { Receipt } from '../../../application/recording/ports/event-store.js'

/** What a read model says of a key of a stream. */
export type KeyLookup =
  /** There is no read model. */
  | { readonly kind: 'none' }
  /** It did not answer in time, or is being built. */
  | { readonly kind: 'silent' }
  /** It knows all facts up to a position; `stored`: what was stored under the key up to there. */
  | { readonly kind: 'looked'; readonly upTo: bigint; readonly stored: Receipt | undefined }

/** Never rejects. */
type FindKey = (stream: string, key: string) => Promise<KeyLookup>

export const noReadModel: FindKey = () => Promise.resolve({ kind: 'none' })

/** How long an append waits for the read model, in milliseconds: as long as a read of one entity does. */
const maxKeyWaitMs = 1_000

/** Finds keys of facts that are too old to be looked for in the store. */
export function findKeyIn(readModel: Pick<ReadModel, 'query'>): FindKey {
  return async (stream, key) => {
    try {
      const want = { waitMs: 0, answerMs: maxKeyWaitMs }
      const { value, position } = await readModel.query('keyed', { stream, key }, want)
      const stored = value && { ...value, position: String(value.position), replayed: true }
      return { kind: 'looked', upTo: BigInt(position), stored }
    } catch {
      // Whoever wants to know why it is silent reads the read model's own log.
      return { kind: 'silent' }
    }
  }
}
