import { entityOf, type TimedFact } from './log-facts.js'

const definitions: ReadonlySet<string> = new Set(['SegmentDefined', 'SegmentRetired'])

/**
 * Reduces a log to the facts that decide the memberships of one entity: its own facts, the definitions, and the
 * final log time. The naive evaluation of a long log would take too long.
 */
export function logsOfEntities(
  log: readonly TimedFact[],
): (externalId: string) => readonly TimedFact[] {
  const last = log.at(-1)
  const shared = log.filter((fact) => definitions.has(fact.type) || fact === last)
  const byEntity = new Map<string, TimedFact[]>()
  for (const fact of log) {
    const entity = entityOf(fact)
    if (entity === undefined || fact === last) continue
    const own = byEntity.get(entity) ?? []
    byEntity.set(entity, own)
    own.push(fact)
  }
  return (externalId) =>
    [...shared, ...(byEntity.get(externalId) ?? [])].sort(
      (left, right) => left.position - right.position,
    )
}
