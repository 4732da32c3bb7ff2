import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { byForm } from '../../../../support/form.js'
import { DrivenProjections } from '../../../../support/segments/driven-projections.js'
import {
  withLogTime,
  type LogFact,
  type TimedFact,
} from '../../../../support/segments/log-facts.js'
import { digestOf, entitiesOf } from '../../../../support/segments/naive-membership.js'
import { recordedFlips, sinceOf } from '../../../../support/segments/naive-timeline.js'
import { segmentKeys } from '../../../../support/segments/history-log.js'
import { randomHistories } from '../../../../support/segments/random-histories.js'

const numRuns = byForm({ short: 12, long: 1_000 })

const timeoutMs = byForm({ short: 60_000, long: 900_000 })

/** What is done by itself after a fact: some steps of a build, all of it, or nothing. */
const efforts = fc.array(fc.constantFrom(0, 1, 2, Infinity), { minLength: 1, maxLength: 20 })

it(
  'members, their number, digest and since are those of a naive evaluation, also after a build from the log',
  async () => {
    await fc.assert(
      fc.asyncProperty(randomHistories, efforts, async (history, effort) => {
        const driven = new DrivenProjections()
        try {
          await follow(driven, history, effort)
        } finally {
          driven.close()
        }
      }),
      { numRuns },
    )
  },
  timeoutMs,
)

async function follow(
  driven: DrivenProjections,
  history: readonly LogFact[],
  effort: readonly number[],
): Promise<void> {
  const log = withLogTime(history)
  for (const [index, fact] of history.entries()) {
    driven.add(fact)
    const turns = effort[index % effort.length] ?? 0
    if (turns === Infinity) await driven.settle()
    else await driven.work(turns)
    await compare(driven, log.slice(0, index + 1))
  }
  await driven.settle()
  await compare(driven, log, 'all')
  await driven.rebuild()
  await compare(driven, log, 'all')
}

/** Of segments that are served in their newest version; `all`: every one is. */
async function compare(
  driven: DrivenProjections,
  log: readonly TimedFact[],
  which?: 'all',
): Promise<void> {
  const infos = await driven.ask('segments', {})
  for (const { key, status } of infos) {
    if (which === 'all') expect({ key, status }).toEqual({ key, status: 'live' })
    if (status !== 'live') continue
    const page = await driven.ask('segmentMembers', { key, limit: 1_000 })
    const expected = membersOf(log, key)
    expect({ key, ...page }).toMatchObject({ key, ...expected })
  }
  const live = infos.map(({ key }) => key)
  for (const key of segmentKeys) {
    if (live.includes(key)) continue
    expect(await driven.ask('segmentMembers', { key, limit: 1 })).toBeUndefined()
  }
}

function membersOf(log: readonly TimedFact[], key: string) {
  const items = entitiesOf(log).flatMap(({ externalId, entityId }) => {
    const flips = recordedFlips(log, key, externalId).filter(({ at }) => at <= lastTime(log))
    const since = sinceOf(flips)
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
