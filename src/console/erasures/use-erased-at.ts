import { useScope, useSession } from '../frame/session.js'
import { useAnswer } from '../parts/use-answer.js'

export interface ErasedAt {
  readonly isKnown: boolean
  /** The time of the erasure. Undefined when no erasure blocks the id. */
  readonly at: string | undefined
}

/** Returns when the person with this id was erased. Only a key with the scope `erase` may know this. */
export function useErasedAt(id: string): ErasedAt {
  const { client } = useSession()
  const mayKnow = useScope('erase')
  const { value, error } = useAnswer(
    ['erased', id, mayKnow],
    async (signal) => {
      if (!mayKnow) return []
      return (await client.erasures.list({ external_id: id }, { signal }).page()).items
    },
    0,
  )
  return { isKnown: value !== undefined || error !== undefined, at: value?.[0]?.requested_at }
}
