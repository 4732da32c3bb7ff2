import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { SqliteProjections } from '../../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import type { LoggedFact } from '../../../../src/application/facts/ports/fact-log.js'
import { toStored } from '../../../../src/application/facts/fact-format.js'
import type { Projections } from '../../../../src/application/reading/ports/projections.js'
import { changeProperties, createEntity } from '../../../../src/domain/entity.js'
import {
  histories,
  instants,
  someEventName,
  someExternalId,
} from '../../../support/entity-histories.js'
import { applyAll } from '../../../support/apply-all.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { FoldedAnswers } from '../../../support/folded-answers.js'
import { allParts, type Ask } from '../../../support/whole-answers.js'

const runs = quickOrThorough({ quick: 3, thorough: 800 })

/**
 * Answers queries from projections that apply a given number of facts at a time. The facts from number `live`
 * on are applied after the rebuild, and their changes are written each time.
 */
function projecting(
  facts: readonly LoggedFact[],
  atOnce: number,
  live = Infinity,
): Ask & { close(): void } {
  const projections: Projections = SqliteProjections.open({
    path: 'memory:',
    factsFile: undefined,
    searchProperties: ['/plan'],
    onDropped: () => undefined,
    onDiverged: () => undefined,
  })
  for (let at = 0; at < facts.length; at += atOnce) {
    if (at >= live && projections.isBuilding) projections.finishBuild()
    applyAll(projections, facts.slice(at, at + atOnce))
  }
  if (projections.isBuilding) projections.finishBuild()
  const ask: Ask = async (name, query) => (await projections.answer(name, query)).value
  return Object.assign(ask, {
    close: () => {
      projections.close()
    },
  })
}

const questions = fc.record({
  externalId: someExternalId,
  limit: fc.integer({ min: 1, max: 5 }),
  by: fc.constantFrom('occurred' as const, 'recorded' as const),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  name: fc.option(someEventName, { nil: undefined }),
  since: fc.option(instants, { nil: undefined }),
  until: fc.option(instants, { nil: undefined }),
  asOf: fc.option(instants, { nil: undefined }),
  knownAt: fc.option(instants, { nil: undefined }),
  types: fc.option(fc.constant(['EventRecorded']), { nil: undefined }),
  ofStream: fc.boolean(),
  plan: fc.constantFrom('free', 'paid', '', 'none'),
  startsWith: fc.constantFrom('a', 'A', 'ad', '顧客', '\ud7ff', '🙂', '__'),
})

type Question = typeof questions extends fc.Arbitrary<infer T> ? T : never

/** Reads every list to its end, in pages of `limit` items. */
async function answersTo(ask: Ask, question: Question) {
  const { externalId, limit, by, order, name, since, until, asOf, knownAt, types } = question
  const stream = question.ofStream ? `entity-${externalId}` : undefined
  const facts: unknown[] = []
  for (let after = 0; ;) {
    const page = await ask('facts', { after, limit, types, stream })
    facts.push(...page.facts)
    after = page.reached.position
    if (page.atHead) break
  }
  const entities = await allParts((after?: number) => ask('entities', { after, limit }))
  const listed = { externalId, by, order, since, until, asOf, knownAt, limit }
  type Cursor = { at: number; position: number } | undefined
  const [entity] = entities ?? []
  return {
    profile: withoutSegments(await ask('profile', { externalId })),
    past: withoutSegments(await ask('profileAt', { externalId, asOf, knownAt })),
    entities,
    byName: await allParts((after?: string) =>
      ask('entitiesByName', { startsWith: question.startsWith, after, limit }),
    ),
    byPlan: await allParts((after?: number) =>
      ask('entitiesByProperty', { pointer: '/plan', text: question.plan, after, limit }),
    ),
    entity: await ask('entityById', { entityId: entity?.entityId ?? 'none' }),
    timeline: await allParts((after: Cursor) => ask('timeline', { ...listed, name, after })),
    history: await allParts((after: Cursor) => ask('history', { ...listed, after })),
    facts,
  }
}

/** Returns the answers of the plain fold. */
function foldedAnswersTo(logged: readonly LoggedFact[], question: Question) {
  const { externalId, asOf, knownAt, types, plan, startsWith } = question
  const folded = new FoldedAnswers(logged)
  const { entities } = folded
  return {
    profile: withoutSegments(folded.profile(externalId)),
    past: withoutSegments(folded.profile(externalId, asOf, knownAt)),
    entities,
    byName: folded.entitiesByName(startsWith),
    byPlan: entities.filter(({ properties }) => properties.value['plan'] === plan),
    entity: entities[0],
    timeline: folded.timeline(question),
    history: folded.history(question),
    facts: folded.facts(types, question.ofStream ? `entity-${externalId}` : undefined),
  }
}

/** Removes the segments from a profile, because other tests cover them. */
function withoutSegments(profile: object | undefined) {
  return profile && { ...profile, segments: [], segmentsBuilding: [] }
}

describe('the projections', () => {
  it('answer as the plain fold does, however many facts are applied at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        questions,
        fc.integer({ min: 1, max: 20 }),
        fc.nat({ max: 70 }),
        async (facts, question, atOnce, live) => {
          const projected = projecting(facts, atOnce, live)
          try {
            expect(await answersTo(projected, question)).toEqual(foldedAnswersTo(facts, question))
          } finally {
            projected.close()
          }
        },
      ),
      { numRuns: runs },
    )
  })

  it('answer as the plain fold does after a rebuild whose changes do not fit in memory', async () => {
    const large = 'x'.repeat(1_000_000)
    const facts = Array.from({ length: 40 }, (_, n) => {
      const [externalId, now] = [`customer ${String(n % 3)}`, new Date(n)]
      const properties = { large, n, [`only ${String(n)}`]: true }
      const fact =
        n < 3
          ? createEntity({ factId: `fact ${String(n)}`, externalId, properties, now })
          : changeProperties({
              factId: `fact ${String(n)}`,
              externalId,
              set: properties,
              unset: [],
              now,
            })
      const context = { requestId: 'request', keyHash: undefined }
      return { ...toStored(fact.facts[0], context), stream: fact.stream, position: n + 1 }
    })
    const projected = projecting(facts, 40)
    for (const externalId of ['customer 0', 'customer 1', 'customer 2']) {
      const profile = await projected('profile', { externalId })
      expect(withoutSegments(profile)).toEqual(
        withoutSegments(new FoldedAnswers(facts).profile(externalId)),
      )
    }
    projected.close()
  })

  it('return the stored profile also when they replay it on demand', async () => {
    await fc.assert(
      fc.asyncProperty(histories, someExternalId, async (facts, externalId) => {
        const ask = projecting(facts, 7)
        const kept = await ask('profile', { externalId })
        expect(await ask('profileAt', { externalId })).toEqual(kept)
        ask.close()
      }),
      { numRuns: runs },
    )
  })
})
