import { expect } from '@jest/globals'
import type { DrivenProjections } from './driven-projections.js'
import type { TimedFact } from './log-facts.js'
import { digestOf, entitiesOf } from './naive-membership.js'
import { recordedChanges, sinceOf } from './naive-timeline.js'
import { segmentKeys } from './history-log.js'

/**
 * Compares the members of segments whose newest version is served. With `all`, the newest version of every segment must
 * be served.
 */
export async function compareMembers(
  asked: Pick<DrivenProjections, 'query'>,
  log: readonly TimedFact[],
  which?: 'all',
): Promise<void> {
  const infos = await asked.query('segments', {})
  for (const { key, status } of infos) {
    if (which === 'all') expect({ key, status }).toEqual({ key, status: 'live' })
    if (status !== 'live') continue
    const page = await asked.query('segmentMembers', { key, limit: 1_000 })
    const expected = membersOf(log, key)
    expect({ key, ...page }).toMatchObject({ key, ...expected })
  }
  const live = infos.map(({ key }) => key)
  for (const key of segmentKeys) {
    if (live.includes(key)) continue
    expect(await asked.query('segmentMembers', { key, limit: 1 })).toBeUndefined()
  }
}

/** Returns the members by the naive evaluation. */
export function membersOf(log: readonly TimedFact[], key: string) {
  const items = entitiesOf(log).flatMap(({ externalId, entityId }) => {
    const changes = recordedChanges(log, key, externalId).filter(({ at }) => at <= lastTime(log))
    const since = sinceOf(changes)
    return since === undefined
      ? []
      : [{ externalId, entityId, since: new Date(since).toISOString() }]
  })
  const digest = digestOf(items.map(({ entityId }) => entityId))
  return { items, members: items.length, digest }
}

function lastTime(log: readonly TimedFact[]): number {
  return log.at(-1)?.logTime ?? 0
}
