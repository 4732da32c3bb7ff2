import type {
  EntityEnteredSegment,
  EntityLeftSegment,
} from '../../../src/domain/segments/segment-facts.js'
import { isRecordedMember, entitiesOf } from '../segments/naive-membership.js'
import type { SegmentBuilt, TimedFact } from '../segments/log-facts.js'
import { builtInOrder } from '../segments/published-facts.js'

/**
 * Derives the members of each segment from published facts: the members at its build, changed by the later entries and
 * exits. Reports impossible changes as faults, such as a member who enters again.
 */
export class PublishedMembers {
  readonly faults: string[] = []
  builds = 0
  entered = 0
  left = 0
  private readonly members = new Map<string, Set<string>>()
  private taken = 0

  /** The ids of the member entities, by segment. */
  get all(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.members
  }

  /** Applies the facts of the log that are new. */
  follow(log: readonly TimedFact[]): void {
    const isNew = ({ type, position }: TimedFact) =>
      type === 'SegmentBuilt' && position > (log[this.taken - 1]?.position ?? 0)
    // Skips builds that a later definition made obsolete.
    const builds = new Set(log.some(isNew) ? builtInOrder(log) : [])
    for (; this.taken < log.length; this.taken += 1) {
      const fact = log[this.taken]
      if (fact?.type === 'SegmentBuilt' && builds.has(fact)) this.begin(fact, log)
      if (fact?.type === 'EntityEnteredSegment' || fact?.type === 'EntityLeftSegment') {
        this.take(fact)
      }
    }
  }

  private begin({ data }: SegmentBuilt, log: readonly TimedFact[]): void {
    this.builds += 1
    this.members.set(data.segment, membersAt(log, data.segment, data.through))
  }

  private take(fact: TimedFact & (EntityEnteredSegment | EntityLeftSegment)): void {
    const enters = fact.type === 'EntityEnteredSegment'
    const { segment, entityId } = fact.data
    const members = this.members.get(segment)
    if (enters) this.entered += 1
    else this.left += 1
    if (members === undefined || members.has(entityId) === enters) {
      this.faults.push(`${segment}: ${fact.type} ${entityId} at ${String(fact.position)}`)
    }
    if (enters) members?.add(entityId)
    else members?.delete(entityId)
  }
}

/** Returns the members at a definition. Changes published before the definition belong to the previous version. */
function membersAt(log: readonly TimedFact[], key: string, through: string): Set<string> {
  const known = log.slice(0, log.findIndex(({ id }) => id === through) + 1)
  const members = entitiesOf(known).filter(({ externalId }) =>
    isRecordedMember(known, key, externalId),
  )
  return new Set(members.map(({ entityId }) => entityId))
}
