import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { CopyRefused } from '../../src/application/migration/ports/copy-refused.js'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'
import type { FactSource } from '../../src/application/migration/ports/fact-source.js'
import type { FactTarget } from '../../src/application/migration/ports/fact-target.js'
import { storedFact } from '../support/stored-facts.js'

/** What a store's own suite has to bring. */
export interface CopyBench {
  /** Opens the store, the same one each time. */
  target(): Promise<FactTarget>
  source(): Promise<FactSource>
}

/** What every store promises that facts are copied into and out of. */
export function factTargetContract(prepare: () => CopyBench): void {
  let bench: CopyBench
  let target: FactTarget

  beforeEach(async () => {
    bench = prepare()
    target = await bench.target()
  })

  afterEach(async () => {
    await target.close()
  })

  const several = (count: number) => Array.from({ length: count }, (_, n) => storedFact({ n }))
  const append = (stream: string, place: number, ...facts: StoredFact[]) =>
    target.append(
      stream,
      place,
      facts.map((fact) => ({ key: undefined, facts: [fact] })),
    )

  it('is empty at first', async () => {
    expect(await target.survey()).toMatchObject({ facts: 0 })
    expect(await namesIn(target)).toEqual([])
    expect(await factsIn(target, 'entity-a')).toEqual([])
    expect(await target.length('entity-a')).toBe(0)
  })

  it('gives back what was appended, in order and from any place', async () => {
    const facts = several(7)
    await append('entity-a', 0, ...facts.slice(0, 3))
    await append('entity-a', 3, ...facts.slice(3))
    expect(await target.length('entity-a')).toBe(7)
    expect(await factsIn(target, 'entity-a')).toEqual(facts)
    expect(await factsIn(target, 'entity-a', 2)).toEqual(facts.slice(2))
    expect(await factsIn(target, 'entity-a', 7)).toEqual([])
  })

  it('lists streams in the order of their first facts, and counts facts', async () => {
    const before = await target.survey()
    await append('entity-b', 0, ...several(2))
    await append('entity-é 🙂/%', 0, ...several(1))
    await append('entity-a', 0, ...several(3))
    await append('entity-b', 2, ...several(1))
    expect(await namesIn(target)).toEqual(['entity-b', 'entity-é 🙂/%', 'entity-a'])
    const after = await target.survey()
    expect(after.facts).toBe(7)
    expect(after.head).not.toBe(before.head)
    expect(await target.survey()).toEqual(after)
  })

  it.each([
    ['too early', 0],
    ['in the middle', 1],
    ['too late', 3],
  ])('refuses other facts at another place: %s', async (_, place) => {
    const facts = several(2)
    await append('entity-a', 0, ...facts)
    await expect(append('entity-a', place, ...several(1))).rejects.toThrow(CopyRefused)
    expect(await factsIn(target, 'entity-a')).toEqual(facts)
  })

  it('refuses a stream that is missing when it should have facts', async () => {
    await expect(append('entity-a', 2, ...several(1))).rejects.toThrow(CopyRefused)
    expect(await namesIn(target)).toEqual([])
  })

  it('keeps appends to one stream apart from those to others at the same time', async () => {
    const streams = Array.from({ length: 40 }, (_, n) => ({
      name: `entity-${String(n)}`,
      facts: several(3),
    }))
    await Promise.all(streams.map(({ name, facts }) => append(name, 0, ...facts)))
    for (const { name, facts } of streams) expect(await factsIn(target, name)).toEqual(facts)
  })

  it('carries text of every script and every JSON escape as it is', async () => {
    const fact = storedFact(
      {
        text: '\u0000\u2028"\\/🙂é',
        half: JSON.parse('"\\ud83d"') as string,
        1: [null, 1e21, 0.1],
      },
      { schemaVersion: 1, $correlationId: 'ä' },
    )
    await append('entity-a', 0, fact)
    expect(await factsIn(target, 'entity-a')).toEqual([fact])
  })

  it('cuts a long stream into pages, and a large fact stands alone', async () => {
    const many = several(1_100)
    const large = [
      storedFact({ x: 'x'.repeat(1_000_000) }),
      storedFact({ x: 'y'.repeat(1_000_000) }),
    ]
    for (let n = 0; n < 1_100; n += 550) await append('entity-a', n, ...many.slice(n, n + 550))
    for (const [n, fact] of large.entries()) await append('entity-a', 1_100 + n, fact)
    await append('entity-a', 1_102, storedFact())
    const sizes: number[] = []
    for await (const page of target.facts('entity-a', 0)) {
      sizes.push(page.reduce((sum, { data }) => sum + data.length, 0))
      expect(page.length).toBeLessThanOrEqual(500)
    }
    expect(Math.max(...sizes)).toBeLessThan(2_100_000)
    expect((await factsIn(target, 'entity-a')).slice(0, 1_102)).toEqual([...many, ...large])
  })

  describe('closed', () => {
    it('keeps its facts for the next one, which goes on', async () => {
      const facts = several(4)
      await append('entity-a', 0, ...facts.slice(0, 2))
      await target.close()
      target = await bench.target()
      expect(await target.length('entity-a')).toBe(2)
      await append('entity-a', 2, ...facts.slice(2))
      expect(await factsIn(target, 'entity-a')).toEqual(facts)
    })

    it('is a source of the same facts', async () => {
      const facts = several(3)
      await append('entity-b', 0, ...facts)
      await append('entity-a', 0, ...several(1))
      const { facts: count } = await target.survey()
      await target.close()
      const source = await bench.source()
      try {
        expect(await namesIn(source)).toEqual(['entity-b', 'entity-a'])
        expect(await factsIn(source, 'entity-b')).toEqual(facts)
        expect((await source.survey()).facts).toBe(count)
      } finally {
        await source.close()
        target = await bench.target()
      }
    })
  })
}

export async function namesIn(source: FactSource): Promise<readonly string[]> {
  const names: string[] = []
  for await (const name of source.streams()) names.push(name)
  return names
}

export async function factsIn(
  source: FactSource,
  stream: string,
  from = 0,
): Promise<readonly StoredFact[]> {
  const facts: StoredFact[] = []
  for await (const page of source.facts(stream, from)) facts.push(...page)
  return facts
}
