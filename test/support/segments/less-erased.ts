import { entityOf, type TimedFact } from './log-facts.js'

/** Returns the ids of the erased entities, each with the position of its last erasure. */
export function erasuresIn(log: readonly TimedFact[]): ReadonlyMap<string, number> {
  return new Map(
    log.flatMap((fact) =>
      fact.type === 'EntityErased' ? [[fact.data.entityId, fact.position] as const] : [],
    ),
  )
}

/**
 * Returns the log as if the erased entities had never existed. Positions and log times stay. Expects that no later
 * entity has the name of an erased one.
 */
export function lessErased(log: readonly TimedFact[]): readonly TimedFact[] {
  const erased = erasuresIn(log)
  const names = new Set(
    log.flatMap((fact) =>
      fact.type === 'EntityCreated' && erased.has(fact.id) ? [fact.data.externalId] : [],
    ),
  )
  return log.flatMap((fact): readonly TimedFact[] => {
    if (fact.type === 'EntityEnteredSegment' || fact.type === 'EntityLeftSegment') {
      return erased.has(fact.data.entityId) ? [] : [fact]
    }
    const isOfErasure = 'erasureId' in fact.data || fact.type === 'EntityErasureRecorded'
    const name = entityOf(fact)
    const isErased = fact.type === 'FactErased' || (name !== undefined && names.has(name))
    if (!isErased && !isOfErasure) return [fact]
    const { id, stream, position, logTime } = fact
    return [{ id, stream, position, logTime, type: 'TimePassed', data: { now: '' } }]
  })
}
