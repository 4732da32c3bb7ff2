import type { Segment, SegmentDefinition } from '../../../client/dossier.js'
import { useSession } from '../../frame/session.js'
import { useSent, type Sent } from '../../parts/sent.js'
import { definitionOf, type Draft } from './draft.js'

export interface Save extends Sent<Segment> {
  /** The body of the request. Undefined while there is no rule. */
  readonly definition: SegmentDefinition | undefined
  /** The version that the segment must still have. */
  readonly ifVersion: number | 'none'
}

/** Saves a draft as the next version, unless another user has saved a version first. */
export function useSave(draft: Draft, onSaved: (saved: Segment) => void): Save {
  const { client } = useSession()
  const definition = definitionOf(draft)
  const ifVersion = draft.base?.version ?? 'none'
  const sent = useSent(
    JSON.stringify([draft.key, definition, ifVersion]),
    async (options) => {
      if (definition === undefined) throw new TypeError('there is no rule to save')
      return client.segments.define(draft.key, definition, { ...options, ifVersion })
    },
    onSaved,
  )
  return { ...sent, definition, ifVersion }
}
