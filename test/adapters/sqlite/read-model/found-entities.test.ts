import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { SqliteProjections } from '../../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { toStored } from '../../../../src/application/facts/fact-format.js'
import type { LoggedFact } from '../../../../src/application/facts/ports/fact-log.js'
import type { ListedEntity, Part } from '../../../../src/application/reading/ports/read-model.js'
import { createEntity } from '../../../../src/domain/entity.js'
import { nameViolations } from '../../../../src/domain/name.js'
import { applyAll } from '../../../support/apply-all.js'
import { byForm } from '../../../support/form.js'

const numRuns = byForm({ quick: 60, thorough: 2_000 })
const context = { requestId: 'request', keyHash: undefined }

/** Code points around each place where the order of UTF-16 is another, and the last one there is. */
const edges = ['a', 'b', 'é', '顧', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '🙂', '\u{10ffff}']
const character = fc.oneof(
  { arbitrary: fc.constantFrom(...edges), weight: 4 },
  { arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), weight: 1 },
)
const someText = fc.string({ unit: character, minLength: 1, maxLength: 3 })
const ids = fc.uniqueArray(
  someText.filter((text) => nameViolations(text).length === 0),
  { minLength: 1, maxLength: 30 },
)

function created(externalId: string, position: number): LoggedFact {
  const factId = `01a1ff14-0000-7000-8000-${String(position).padStart(12, '0')}`
  const { facts, stream } = createEntity({
    factId,
    externalId,
    properties: {},
    now: new Date(position),
  })
  return { ...toStored(facts[0], context), stream, position }
}

function opened(): SqliteProjections {
  return SqliteProjections.open({
    path: 'memory:',
    factsFile: undefined,
    onDropped: () => undefined,
    onDiverged: () => undefined,
  })
}

/** UTF-8 has the order of code points. */
function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

/** All of a list, a page at a time; `between` is called with the number of pages so far. */
async function paged<Cursor>(
  page: (after: Cursor | undefined) => Promise<Part<ListedEntity, Cursor>>,
  between: (pages: number) => void,
): Promise<readonly string[]> {
  const seen: string[] = []
  let after: Cursor | undefined
  for (let pages = 1; ; pages += 1) {
    const { items, next } = await page(after)
    seen.push(...items.map(({ externalId }) => externalId))
    if (next === undefined) return seen
    expect(items).not.toEqual([])
    after = next
    between(pages)
  }
}

describe('entities by the beginning of their id', () => {
  it('are all that begin so, by code point, none skipped or twice while others are created', async () => {
    await fc.assert(
      fc.asyncProperty(
        ids,
        someText,
        fc.integer({ min: 1, max: 4 }),
        fc.nat({ max: 30 }),
        async (all, text, limit, later) => {
          const projections = opened()
          try {
            const before = all.slice(0, Math.max(1, all.length - later))
            applyAll(
              projections,
              before.map((id, at) => created(id, at + 1)),
            )
            projections.finishBuild()
            let count = before.length
            for (const startsWith of [text, ...edges]) {
              const there = all.slice(0, count)
              const seen = await paged(
                async (after: string | undefined) => {
                  const query = { startsWith, after, limit }
                  return (await projections.answer('entitiesByName', query)).value
                },
                () => {
                  const id = all[count]
                  if (id === undefined) return
                  count += 1
                  applyAll(projections, [created(id, count)])
                },
              )
              const begins = (id: string) => id.startsWith(startsWith)
              expect(seen).toEqual([...new Set(seen)].sort(byCodePoint))
              expect(seen.filter((id) => there.includes(id))).toEqual(
                there.filter(begins).sort(byCodePoint),
              )
              expect(seen.filter((id) => !begins(id))).toEqual([])
            }
          } finally {
            projections.close()
          }
        },
      ),
      { numRuns },
    )
  })
})
