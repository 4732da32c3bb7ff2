import { readFact } from '../../../../application/facts/fact-format.js'
import type { Fact } from '../../../../application/facts/fact-table.js'
import type { StoredFact } from '../../../../application/facts/stored-fact.js'
import { UnreadableFact } from '../../../../application/facts/unreadable-fact.js'
import type { SubjectFact } from '../../../../domain/segments/membership/replay.js'
import { isMembersFact } from '../../../../domain/segments/segment-facts.js'

/** A fact that is about one entity, and the external id of that one; undefined of another fact. */
export function subjectOf(
  fact: Fact,
): { readonly externalId: string; readonly fact: SubjectFact } | undefined {
  if (isMembersFact(fact)) return undefined
  switch (fact.type) {
    case 'EntityCreated':
    case 'EntityPropertiesChanged':
    case 'EntityAddedToSegment':
    case 'EntityRemovedFromSegment':
      return { externalId: fact.data.externalId, fact }
    case 'EventRecorded':
      return { externalId: fact.data.entityExternalId, fact }
    case 'SegmentDefined':
    case 'SegmentRetired':
    case 'TimePassed':
      return undefined
  }
}

/** A fact of an entity as this version reads it. Throws `UnreadableFact`. */
export function subjectIn(stored: StoredFact): SubjectFact {
  const fact = readFact(stored)
  const subject = fact && subjectOf(fact)
  if (subject === undefined) throw new UnreadableFact(`fact ${stored.id} is about no entity`)
  return subject.fact
}
