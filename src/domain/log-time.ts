import type { EntityCreated, EntityPropertiesChanged } from './entity.js'
import type { EventRecorded } from './event.js'

type Recorded = EntityCreated | EntityPropertiesChanged | EventRecorded

/** When a fact was recorded, by the clock of the process that did it: UTC with milliseconds. */
export function recordedAt(fact: Recorded): string {
  switch (fact.type) {
    case 'EntityCreated':
      return fact.data.createdAt
    case 'EntityPropertiesChanged':
      return fact.data.changedAt
    case 'EventRecorded':
      return fact.data.recordedAt
  }
}

/**
 * Log time after a fact, in milliseconds since 1970: the highest instant that any fact up to there was
 * recorded at. It never goes back, also where the clocks of processes differ. `before`: log time at the
 * fact before.
 */
export function logTimeAfter(before: number, fact: Recorded): number {
  return Math.max(before, Date.parse(recordedAt(fact)))
}
