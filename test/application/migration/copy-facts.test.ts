import { createHash } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import {
  copyFactsUseCase,
  type CopyAccount,
} from '../../../src/application/migration/copy-facts.js'
import { CopyRefused } from '../../../src/application/migration/ports/copy-refused.js'
import type { CopyProgress } from '../../../src/application/migration/ports/copy-progress.js'
import type { StoredFact } from '../../../src/application/facts/stored-fact.js'
import type { FactSource } from '../../../src/application/migration/ports/fact-source.js'
import type { FactTarget } from '../../../src/application/migration/ports/fact-target.js'
import { MemoryFacts } from '../../support/memory-facts.js'
import { keyHash, storedFact } from '../../support/stored-facts.js'

class KeptProgress implements CopyProgress {
  readonly steps: string[] = []
  shown = 0

  begin(step: string, facts: number): void {
    this.steps.push(`${step} ${String(facts)}`)
    this.shown = 0
  }

  done(facts: number): void {
    this.shown += facts
  }

  end(): void {
    this.steps.push(`done ${String(this.shown)}`)
  }
}

const clock = { now: () => new Date(0) }

function copy(
  source: FactSource,
  target: FactTarget,
  progress: CopyProgress = new KeptProgress(),
): Promise<CopyAccount> {
  return copyFactsUseCase(source, target, progress, clock)()
}

/** 60 streams of 1 to 12 facts: more than are under way at the same time. */
function shop(): Map<string, StoredFact[]> {
  return new Map(
    Array.from({ length: 60 }, (_, n) => [
      `entity-${String(n)}`,
      Array.from({ length: 1 + (n % 12) }, (_, place) => storedFact({ n, place, text: 'é' })),
    ]),
  )
}

function part(facts: Map<string, StoredFact[]>, most: number): Map<string, StoredFact[]> {
  const streams = [...facts].slice(0, 30)
  return new Map(streams.map(([stream, all]) => [stream, all.slice(0, most)]))
}

const factsOf = (facts: Map<string, StoredFact[]>) => [...facts.values()].flat()

describe('a copy', () => {
  it('brings every fact into its stream, in order, and gives its account', async () => {
    const facts = shop()
    const target = new MemoryFacts()
    const account = await copy(new MemoryFacts(facts), target)
    expect(target.kept).toEqual(facts)
    const bytes = factsOf(facts).map(({ data, metadata }) => Buffer.byteLength(data + metadata))
    expect(account).toEqual({
      streams: 60,
      facts: 390,
      bytes: bytes.reduce((sum, one) => sum + one, 0),
      copied: 390,
      alreadyThere: 0,
      removed: 0,
      milliseconds: 0,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      differences: 0,
      firstDifferences: [],
    })
  })

  it('shows how far it is', async () => {
    const facts = shop()
    const progress = new KeptProgress()
    await copy(new MemoryFacts(facts), new MemoryFacts(part(facts, 2)), progress)
    const there = factsOf(part(facts, 2)).length
    expect(progress.steps).toEqual([`looking ${String(there)}`, 'copying 390', 'done 390'])
  })

  it('of nothing is nothing', async () => {
    const account = await copy(new MemoryFacts(), new MemoryFacts())
    expect(account).toMatchObject({ streams: 0, facts: 0, copied: 0, differences: 0 })
    expect(account.digest).toBe('0'.repeat(64))
  })

  it('brings only what is missing when it is run again', async () => {
    const facts = shop()
    const target = new MemoryFacts(part(facts, 4))
    const there = factsOf(target.kept).length
    const account = await copy(new MemoryFacts(facts), target)
    expect(account).toMatchObject({ copied: 390 - there, alreadyThere: there, differences: 0 })
    expect(target.kept).toEqual(facts)
  })

  it('writes nothing when everything is there, and its digest is the same', async () => {
    const facts = shop()
    const target = new MemoryFacts()
    const first = await copy(new MemoryFacts(facts), target)
    target.appends.length = 0
    const second = await copy(new MemoryFacts(facts), target)
    expect(target.appends).toEqual([])
    expect(second).toMatchObject({ copied: 0, alreadyThere: 390, digest: first.digest })
  })

  it('has a digest that anyone can make again, whatever the order of the streams', async () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
    const facts = shop()
    const sum = [...facts]
      .map(([stream, all]) => {
        const lines = all.map((fact) => [fact.id, fact.type, fact.data, fact.metadata])
        const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
        return BigInt(`0x${sha256(JSON.stringify([stream, sha256(text)]))}`)
      })
      .reduce((total, one) => (total + one) % (1n << 256n), 0n)
    const backwards = new Map([...facts].reverse())
    const { digest } = await copy(new MemoryFacts(backwards), new MemoryFacts())
    expect(BigInt(`0x${digest}`)).toBe(sum)
  })
})

describe('a target that holds other facts', () => {
  const [one, two, other] = [storedFact({ n: 1 }), storedFact({ n: 2 }), storedFact({ n: 3 })]
  const source = () => new MemoryFacts(new Map([['entity-a', [one, two]]]))

  it.each<[string, Map<string, StoredFact[]>]>([
    ['another stream', new Map([['entity-b', [other]]])],
    ['another fact at a place', new Map([['entity-a', [one, other]]])],
    ['more facts than the source', new Map([['entity-a', [one, two, other]]])],
    ['the same facts in another order', new Map([['entity-a', [two, one]]])],
    ['other data under the same id', new Map([['entity-a', [{ ...one, data: '{}' }]]])],
    ['other metadata under the same id', new Map([['entity-a', [{ ...one, metadata: '{}' }]]])],
    ['another type under the same id', new Map([['entity-a', [{ ...one, type: 'Other' }]]])],
    ['another id for the same text', new Map([['entity-a', [{ ...one, id: other.id }]]])],
  ])('is refused and not written to: %s', async (_, facts) => {
    const target = new MemoryFacts(facts)
    await expect(copy(source(), target)).rejects.toThrow(CopyRefused)
    expect(target.appends).toEqual([])
  })

  it('is refused when one of its streams was removed', async () => {
    const target = new MemoryFacts(new Map([['entity-a', []]]))
    target.survey = () => Promise.resolve({ facts: 1, head: '1' })
    await expect(copy(source(), target)).rejects.toThrow(/"entity-a" differs .* at fact 1\b/)
  })
})

describe('what went wrong on the way is told', () => {
  it('a fact that came out other than it went in', async () => {
    const target = new MemoryFacts()
    const append = target.append.bind(target)
    target.append = (stream, place, runs) =>
      append(
        stream,
        place,
        runs.map((run) => ({ ...run, facts: run.facts.map((fact) => ({ ...fact, data: '{}' })) })),
      )
    const account = await copy(new MemoryFacts(shop()), target)
    expect(account.differences).toBe(60)
    expect(account.firstDifferences).toHaveLength(20)
    expect(account.firstDifferences[0]).toMatch(/stream "entity-\d+" differs/)
  })

  it('facts of a stream that is not listed', async () => {
    const source = new MemoryFacts(shop())
    const streams = source.streams.bind(source)
    source.streams = async function* () {
      for await (const stream of streams()) if (stream !== 'entity-11') yield stream
    }
    const { firstDifferences } = await copy(source, new MemoryFacts())
    expect(firstDifferences).toEqual([
      'the source holds 390 facts, its streams that were compared hold 378',
    ])
  })

  it('facts that somebody else wrote to the target', async () => {
    const target = new MemoryFacts()
    target.survey = () =>
      Promise.resolve({ facts: target.appends.length === 0 ? 0 : 391, head: '' })
    const { firstDifferences } = await copy(new MemoryFacts(shop()), target)
    expect(firstDifferences).toEqual([
      'the target holds 391 facts, its streams that were compared hold 390',
    ])
  })

  it('a source that took facts meanwhile', async () => {
    const source = new MemoryFacts(shop())
    let looks = 0
    source.survey = () => Promise.resolve({ facts: 390, head: String((looks += 1)) })
    const { firstDifferences } = await copy(source, new MemoryFacts())
    expect(firstDifferences).toEqual([expect.stringContaining('stop its service and run again')])
  })

  it('streams that were removed from the source', async () => {
    const facts = shop()
    const account = await copy(
      new MemoryFacts(new Map([...facts, ['entity-gone', []]])),
      new MemoryFacts(),
    )
    expect(account).toMatchObject({ streams: 60, removed: 1, differences: 0 })
  })

  it('the first failure of an append, after which nothing is begun', async () => {
    const target = new MemoryFacts()
    let begun = 0
    target.append = () => {
      begun += 1
      return Promise.reject(new CopyRefused('no more'))
    }
    await expect(copy(new MemoryFacts(shop()), target)).rejects.toThrow('no more')
    expect(begun).toBe(32)
  })
})

describe('appends of a copy', () => {
  const keyed = (key: string, size = 0) =>
    storedFact({ x: 'x'.repeat(size) }, { schemaVersion: 1, idempotencyKey: keyHash(key) })

  it('keep together what was stored under one key, and name it', async () => {
    const facts = [storedFact(), keyed('a'), keyed('a'), keyed('b'), storedFact(), storedFact()]
    const target = new MemoryFacts()
    await copy(new MemoryFacts(new Map([['entity-a', facts]]), 2), target)
    const [append] = target.appends
    expect(target.appends).toHaveLength(1)
    expect(append?.runs).toEqual([
      { key: undefined, facts: [facts[0]] },
      { key: keyHash('a'), facts: [facts[1], facts[2]] },
      { key: keyHash('b'), facts: [facts[3]] },
      { key: undefined, facts: [facts[4]] },
      { key: undefined, facts: [facts[5]] },
    ])
  })

  it('take no key for one that is no hash', async () => {
    const fact = storedFact({}, { idempotencyKey: 'short' })
    const target = new MemoryFacts()
    await copy(new MemoryFacts(new Map([['entity-a', [fact]]])), target)
    expect(target.appends[0]?.runs).toEqual([{ key: undefined, facts: [fact] }])
  })

  it('stay below 1 MiB of data without cutting a key in two', async () => {
    const third = 350_000
    const facts = [keyed('a', third), keyed('b', third), keyed('b', third), keyed('c', third)]
    const target = new MemoryFacts()
    await copy(new MemoryFacts(new Map([['entity-a', facts]])), target)
    expect(target.appends.map(({ place, runs }) => [place, runs.length])).toEqual([
      [0, 1],
      [1, 1],
      [3, 1],
    ])
  })

  it('are at most 500 facts', async () => {
    const facts = Array.from({ length: 1_001 }, () => storedFact())
    const target = new MemoryFacts()
    await copy(new MemoryFacts(new Map([['entity-a', facts]]), 100), target)
    expect(target.appends.map(({ place }) => place)).toEqual([0, 500, 1_000])
  })
})
