import type { Evidence, ListedEvent } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { useAnswer } from '../parts/use-answer.js'
import type { Leaf } from './found.js'

/** The maximum number of events that are read to show the properties of evidence. */
const readAtMost = 100

export interface ShownEvidence extends Evidence {
  /** The event. Undefined until it is read, or if it is not among the newest events of its name. */
  readonly event: ListedEvent | undefined
}

/** Returns the events that a part of a rule is about, newest first, with their properties. */
export function useEvidence(id: string, leaf: Leaf): readonly ShownEvidence[] {
  const { client } = useSession()
  const evidence = 'evidence' in leaf ? leaf.evidence : []
  const name = 'event' in leaf && typeof leaf.event === 'string' ? leaf.event : undefined
  const newest = evidence[0]?.fact_id
  const { value: events = [] } = useAnswer(
    ['evidence', id, name, newest],
    async (signal) => {
      if (newest === undefined) return []
      const query = { limit: readAtMost, ...(name !== undefined && { name }) }
      return (await client.entities.events(id, query, { signal }).page()).items
    },
    0,
  )
  return evidence.map((one) => ({
    ...one,
    event: events.find((event) => event.id === one.fact_id),
  }))
}
