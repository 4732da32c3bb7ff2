import type { ReadModel } from '../../../application/reading/ports/read-model.js'
import type { Receipt } from '../../../application/recording/ports/event-store.js'

/** The read model's answer about an idempotency key of a stream. */
export type KeyLookup =
  /** This process has no read model. */
  | { readonly kind: 'none' }
  /** The read model did not answer in time, or is being rebuilt. */
  | { readonly kind: 'silent' }
  /** The read model has applied all facts up to `upTo`. `stored` is the append with the key, if there is one. */
  | { readonly kind: 'looked'; readonly upTo: bigint; readonly stored: Receipt | undefined }

/** Looks up an idempotency key. Never rejects. */
type FindKey = (stream: string, key: string) => Promise<KeyLookup>

export const noReadModel: FindKey = () => Promise.resolve({ kind: 'none' })

/**
 * The time that an append waits for the read model, in milliseconds. It equals the limit for a read
 * of one entity.
 */
const maxKeyWaitMs = 1_000

/**
 * Returns a function that looks up an idempotency key in the read model. It finds the keys of facts
 * that are too old for a search in the store.
 */
export function findKeyIn(readModel: Pick<ReadModel, 'query'>): FindKey {
  return async (stream, key) => {
    try {
      const want = { waitMs: 0, answerMs: maxKeyWaitMs }
      const { value, position } = await readModel.query('keyed', { stream, key }, want)
      const stored = value && { ...value, position: String(value.position), replayed: true }
      return { kind: 'looked', upTo: BigInt(position), stored }
    } catch {
      // Logs nothing here, because the read model logs the reason.
      return { kind: 'silent' }
    }
  }
}
