import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'
import type {
  FactSource,
  FactRun,
  FactTarget,
} from '../../src/application/migration/ports/fact-copy.js'
import type { ExactAppends, StreamReader } from '../../src/application/ports/exact-appends.js'
import { WrongRevision } from '../../src/application/ports/refusal.js'
import { factsAfter } from '../support/followed-log.js'
import { quickOrThorough } from '../support/thoroughness.js'
import { named, type NamedFact } from '../support/memory-copies.js'
import { keyHash, storedFact } from '../support/stored-facts.js'
import { wholeStream } from '../support/whole-stream.js'

/** The setup that the suite of a store provides. */
export interface CopyBench {
  /** Opens the store as the target of a copy. Always opens the same store. */
  target(): Promise<FactTarget>
  /** Opens the store as the source of a copy. Absent for a store that is only a target. */
  source?(): Promise<FactSource>
  /** Opens the same facts as a service does. */
  store(): Promise<ExactAppends & StreamReader & { close(): Promise<void> }>
}

/** Tests the promises of every store about copies from and to it. */
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

  /** Returns facts of several streams in alternation. */
  const several = (count: number, streams = 7): readonly NamedFact[] =>
    Array.from({ length: count }, (_, n) => ({
      stream: `entity-${String(n % streams)} é🙂/%`,
      ...storedFact({ n }),
    }))

  it('is empty at first', async () => {
    expect(await factsIn(target)).toEqual([])
    await target.assertWhole?.()
  })

  it('returns the appended facts in the order of the appends', async () => {
    const { count, first } = quickOrThorough({
      quick: { count: 200, first: 120 },
      thorough: { count: 900, first: 300 },
    })
    const facts = several(count, 40)
    await target.append(runsOf(facts.slice(0, first)))
    await target.append(runsOf(facts.slice(first, first + 1)))
    await target.append(runsOf(facts.slice(first + 1)))
    expect(await factsIn(target)).toEqual(facts)
  })

  it('keeps a run of several facts together', async () => {
    const [one, two] = [several(3, 1), several(2)]
    const key = keyHash('k')
    const run = { stream: one[0]?.stream ?? '', key, facts: one.map(unnamed) }
    await target.append([...runsOf(two), run, ...runsOf(several(0))])
    expect(await factsIn(target)).toEqual([...two, ...one])
  })

  it('keeps text in every script and every JSON escape unchanged', async () => {
    const text = '\u0000\u2028"\\/🙂é'
    const half = JSON.parse('"\\ud83d"') as string
    const data = { text, half, 1: [null, 1e21, 0.1] }
    const fact = storedFact(data, { schemaVersion: 1, $correlationId: 'ä' })
    await target.append(runsOf([{ stream: 'entity-a', ...fact }]))
    expect(await factsIn(target)).toEqual([{ stream: 'entity-a', ...fact }])
  })

  it('accepts facts of 1 MB, many in one call', async () => {
    const facts = Array.from({ length: quickOrThorough({ quick: 4, thorough: 8 }) }, (_, n) => ({
      stream: `entity-${String(n % 3)}`,
      ...storedFact({ x: 'x'.repeat(1_000_000), n }),
    }))
    await target.append(runsOf(facts))
    expect(await factsIn(target)).toEqual(facts)
  })

  describe('closed', () => {
    it('keeps its facts for the next one, which goes on', async () => {
      const facts = several(40)
      await target.append(runsOf(facts.slice(0, 20)))
      await target.close()
      target = await bench.target()
      expect(await factsIn(target)).toEqual(facts.slice(0, 20))
      await target.append(runsOf(facts.slice(20)))
      expect(await factsIn(target)).toEqual(facts)
    })

    it('leaves streams of exact revisions that go on where they were', async () => {
      const streams = ['segments', 'entity-a', 'members-a', 'segments', 'members-a', 'segments']
      const facts = streams.map((stream) => ({ stream, ...storedFact() }))
      await target.append(runsOf(facts.slice(0, 4)))
      await target.append(runsOf(facts.slice(4)))
      await target.close()
      const store = await bench.store()
      try {
        for (const stream of ['segments', 'members-a', 'dossier-clock']) {
          const copied = facts.filter((fact) => fact.stream === stream)
          expect(await wholeStream(store, stream)).toMatchObject(copied.map(unnamed))
          const last = copied.length - 1
          const append = { stream, facts: [storedFact()] }
          const wrong = store.appendAt({ ...append, revision: last + 1 })
          await expect(wrong).rejects.toEqual(new WrongRevision(last))
          expect(await store.appendAt({ ...append, revision: last })).toMatchObject({
            revision: last + 1,
          })
        }
      } finally {
        await store.close()
        target = await bench.target()
      }
    })

    it('is a source of the same facts, where it is a source', async () => {
      if (bench.source === undefined) return
      const facts = several(30)
      await target.append(runsOf(facts))
      await target.close()
      const source = await bench.source()
      try {
        expect(await factsIn(source)).toEqual(facts)
      } finally {
        await source.close()
        target = await bench.target()
      }
    })
  })
}

/** Returns one run per fact, without idempotency keys. */
export function runsOf(facts: readonly NamedFact[]): readonly FactRun[] {
  return facts.map((fact) => ({ stream: fact.stream, key: undefined, facts: [unnamed(fact)] }))
}

function unnamed({ stream: _stream, ...fact }: NamedFact): StoredFact {
  return fact
}

export async function factsIn({ log }: Pick<FactSource, 'log'>): Promise<readonly NamedFact[]> {
  return (await factsAfter(log, 0)).map(named)
}
