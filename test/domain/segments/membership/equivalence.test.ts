import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { parseRule } from '../../../../src/domain/segments/rule/parse-rule.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import {
  engineChanges,
  engineSince,
  replay,
  timelineOf,
  type EngineChange,
} from '../../../support/segments/engine-replay.js'
import { crowdedHistories } from '../../../support/segments/crowded-histories.js'
import { withLogTime, type LogFact } from '../../../support/segments/log-facts.js'
import { entitiesOf } from '../../../support/segments/naive-membership.js'
import {
  changesUpTo,
  recordedChanges,
  sinceOf,
  type NaiveChange,
} from '../../../support/segments/naive-timeline.js'
import { segmentKeys } from '../../../support/segments/history-log.js'
import { lateHistories } from '../../../support/segments/late-histories.js'
import { randomHistories } from '../../../support/segments/random-histories.js'
import { randomRules } from '../../../support/segments/random-rules.js'

/** The number of histories of each kind. */
const numRuns = quickOrThorough({ quick: 15, thorough: 1_000 })

const timeoutMs = quickOrThorough({ quick: 120_000, thorough: 1_800_000 })

it.each([
  ['of all kinds of facts and rules', randomHistories],
  ['with many facts within minutes', crowdedHistories],
])(
  'after every fact, memberships and their start equal a naive evaluation: %s',
  (_kind, histories) => {
    let checks = 0
    fc.assert(
      fc.property(histories, (history) => {
        checks += compare(history)
      }),
      { numRuns },
    )
    expect(checks).toBeGreaterThan(quickOrThorough({ quick: 200, thorough: 50_000 }))
  },
  timeoutMs,
)

it(
  'after every late change, memberships for a duration equal a naive evaluation',
  () => {
    fc.assert(
      fc.property(lateHistories, (history) => void compare(history)),
      {
        numRuns: quickOrThorough({ quick: 100, thorough: 5_000 }),
      },
    )
  },
  timeoutMs,
)

it('parseRule accepts every generated rule', () => {
  fc.assert(
    fc.property(randomRules(segmentKeys), (rule) => {
      expect(parseRule(rule)).toEqual({ rule })
    }),
    { numRuns },
  )
})

/**
 * After every fact, compares for each entity and segment all entries and exits so far, and so the membership
 * and its start. Returns the number of comparisons.
 */
function compare(history: readonly LogFact[]): number {
  const log = withLogTime(history)
  const timeline = timelineOf(log)
  let checks = 0
  for (const { externalId } of entitiesOf(log)) {
    const changes = segmentKeys.map((key) => ({ key, all: recordedChanges(log, key, externalId) }))
    replay(log, timeline, externalId, (engine, index) => {
      for (const { key, all } of changes) {
        const expected = changesUpTo(all, index).map(toEngineChange)
        const found = engineChanges(engine, key)
        const since = engineSince(engine, timeline, log[index]?.position ?? 0, key)
        checks += 1
        // `expect` would be too slow for so many comparisons.
        const isSame = JSON.stringify(found) === JSON.stringify(expected)
        if (isSame && since === sinceOf(expected)) continue
        const where = { externalId, key, index }
        expect({ ...where, changes: found, since }).toEqual({
          ...where,
          changes: expected,
          since: sinceOf(expected),
        })
      }
    })
  }
  return checks
}

function toEngineChange({ isMember, at, fact }: NaiveChange): EngineChange {
  return { isMember, at, factId: fact?.id }
}
