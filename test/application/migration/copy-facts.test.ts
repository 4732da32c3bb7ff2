import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from '@jest/globals'
import type { LoggedFact } from '../../../src/application/facts/ports/fact-log.js'
import {
  copyFactsUseCase,
  type CopyAccount,
} from '../../../src/application/migration/copy-facts.js'
import { portionsOf } from '../../../src/application/migration/fact-runs.js'
import {
  type CopyProgress,
  CopyRefused,
  type FactRun,
} from '../../../src/application/migration/ports/fact-copy.js'
import { MemoryCopies, type NamedFact } from '../../support/memory-copies.js'
import { keyHash, storedFact } from '../../support/stored-facts.js'

class KeptProgress implements CopyProgress {
  readonly steps: string[] = []
  private facts = 0
  private share = 0

  begin(step: string): void {
    this.note()
    this.steps.push(step)
  }

  done(facts: number, share: number): void {
    this.facts += facts
    this.share = share
  }

  end(): void {
    this.note()
  }

  private note(): void {
    if (this.share > 0) this.steps.push(`${String(this.facts)} facts, all: ${String(this.share)}`)
    this.facts = 0
    this.share = 0
  }
}

const clock = { now: () => new Date(0) }

function copy(
  source: MemoryCopies,
  target: MemoryCopies,
  progress: CopyProgress = new KeptProgress(),
): Promise<CopyAccount> {
  return copyFactsUseCase(source, target, progress, clock)()
}

function fact(stream: string, data: object = { n: 1 }, metadata?: object): NamedFact {
  return { stream, ...storedFact(data, metadata) }
}

/** 1,200 facts of 60 streams in turn, which is more than one page of the log. */
const shop = Array.from({ length: 1_200 }, (_, n) =>
  fact(`entity-${String(n % 60)}`, { n, t: 'é' }),
)

let source: MemoryCopies

beforeEach(async () => {
  source = await MemoryCopies.of(shop)
})

describe('a copy', () => {
  it('copies every fact in the order of the source, and returns its result', async () => {
    const target = new MemoryCopies()
    const account = await copy(source, target)
    expect(await target.facts()).toEqual(shop)
    const bytes = shop.map(({ data, metadata }) => Buffer.byteLength(data + metadata))
    expect(account).toEqual({
      facts: 1_200,
      bytes: bytes.reduce((sum, one) => sum + one, 0),
      copied: 1_200,
      alreadyThere: 0,
      erased: [],
      milliseconds: 0,
      digest: digestOf(shop),
      differences: [],
    })
  })

  it('reports its progress', async () => {
    const progress = new KeptProgress()
    await copy(source, await MemoryCopies.of(shop.slice(0, 70)), progress)
    expect(progress.steps).toEqual([
      'looking',
      '70 facts, all: 1',
      'copying',
      '1130 facts, all: 1',
      'comparing',
      '1130 facts, all: 1',
    ])
  })

  it('of an empty source copies nothing', async () => {
    const account = await copy(new MemoryCopies(), new MemoryCopies())
    expect(account).toMatchObject({ facts: 0, copied: 0, differences: [], digest: digestOf([]) })
  })

  it.each([1, 999, 1_001, 1_199])('continues after %d facts of the target', async (count) => {
    const target = await MemoryCopies.of(shop.slice(0, count))
    const account = await copy(source, target)
    expect(account).toMatchObject({ copied: 1_200 - count, alreadyThere: count, differences: [] })
    expect(account.digest).toBe(digestOf(shop))
    expect(await target.facts()).toEqual(shop)
  })

  it('writes nothing when the target is complete, and has the same digest', async () => {
    const target = await MemoryCopies.of(shop)
    const account = await copy(source, target)
    expect(target.portions).toEqual([])
    expect(account).toMatchObject({ copied: 0, alreadyThere: 1_200, digest: digestOf(shop) })
  })
})

function digestOf(facts: readonly NamedFact[]): string {
  const lines = facts.map(({ stream, id, type, data, metadata }) =>
    JSON.stringify([stream, id, type, data, metadata]),
  )
  return createHash('sha256')
    .update(lines.map((line) => `${line}\n`).join(''))
    .digest('hex')
}

describe('a target with other facts', () => {
  const [one, two, three] = [fact('entity-a'), fact('entity-b'), fact('entity-a')]
  const other = fact('entity-a')

  it.each<[string, readonly NamedFact[]]>([
    ['another stream', [{ ...one, stream: 'entity-c' }]],
    ['another fact at one position', [one, other]],
    ['more facts than the source', [one, two, three, other]],
    ['the facts of the source in another order', [one, three, two]],
    ['the last facts without the first facts', [two, three]],
    ['other data with an equal id', [{ ...one, data: '{}' }]],
    ['other metadata with an equal id', [{ ...one, metadata: '{}' }]],
    ['another type with an equal id', [{ ...one, type: 'EntityCreated' }]],
    ['another id with an equal text', [{ ...one, id: other.id }]],
  ])('is refused without a write: %s', async (_, facts) => {
    const target = await MemoryCopies.of(facts)
    const refusal = copy(await MemoryCopies.of([one, two, three]), target)
    await expect(refusal).rejects.toThrow(CopyRefused)
    await expect(refusal).rejects.toThrow(/begin again with an empty store. Nothing was changed/)
    expect(target.portions).toEqual([])
  })

  it('is refused when it has lost facts', async () => {
    const target = await MemoryCopies.of(shop.slice(0, 100))
    target.isWhole = false
    await expect(copy(source, target)).rejects.toThrow('not whole')
    expect(target.portions).toEqual([])
  })
})

describe('a copy reports', () => {
  it('a fact that the target returns changed', async () => {
    const target = new MemoryCopies()
    const append = target.append.bind(target)
    target.append = (runs) =>
      append(
        runs.map((run) => ({ ...run, facts: run.facts.map((one) => ({ ...one, data: '{}' })) })),
      )
    const { differences } = await copy(source, target)
    expect(differences).toEqual([expect.stringMatching(/1200 in the source, 1200 in the target/)])
  })

  it('facts that another program wrote to the target', async () => {
    const target = new MemoryCopies()
    const append = target.append.bind(target)
    target.append = async (runs) => {
      await append(runs)
      await target.add(fact('entity-x'))
    }
    const { differences } = await copy(source, target)
    expect(differences).toEqual([expect.stringMatching(/1200 in the source, 1201 in the target/)])
  })

  it('a failed append, after which nothing more is written', async () => {
    const target = new MemoryCopies()
    let begun = 0
    target.append = () => {
      begun += 1
      return Promise.reject(new CopyRefused('no more'))
    }
    await expect(copy(source, target)).rejects.toThrow('no more')
    expect(begun).toBe(1)
  })
})

describe('a target that does not accept every fact', () => {
  class Choosy extends MemoryCopies {
    assertTakes(runs: readonly FactRun[]): Promise<void> {
      const isTaken = runs.every(({ stream }) => stream !== 'entity-59')
      return isTaken ? Promise.resolve() : Promise.reject(new CopyRefused('not entity-59'))
    }
  }

  it('makes the copy fail before anything is written', async () => {
    const target = new Choosy()
    await expect(copy(source, target)).rejects.toThrow('not entity-59')
    expect(target.portions).toEqual([])
  })

  it('gets a copy if it accepts all missing facts, and is not checked for facts that it has', async () => {
    const few = await MemoryCopies.of(shop.slice(0, 70))
    const target = new Choosy()
    for (const one of shop.slice(0, 60)) await target.add(one)
    const progress = new KeptProgress()
    const { differences } = await copy(few, target, progress)
    expect(differences).toEqual([])
    expect(progress.steps).toContain('checking')
    expect(await target.facts()).toEqual(shop.slice(0, 70))
  })
})

describe('appends of a copy', () => {
  const keyed = (stream: string, key: string, size = 0) =>
    fact(stream, { x: 'x'.repeat(size) }, { schemaVersion: 1, idempotencyKey: keyHash(key) })

  async function portions(facts: readonly NamedFact[], pageSize = facts.length) {
    const pages: LoggedFact[][] = []
    for (let from = 0; from < facts.length; from += pageSize) {
      const page = facts.slice(from, from + pageSize)
      pages.push(page.map((one, index) => ({ ...one, position: from + index + 1 })))
    }
    const found: (readonly FactRun[])[] = []
    for await (const portion of portionsOf(streamOf(pages))) found.push(portion)
    return found
  }

  async function* streamOf<T>(items: readonly T[]): AsyncGenerator<T, void> {
    for (const item of items) yield await Promise.resolve(item)
  }

  it.each([1, 2, 3, 7])('keep facts of one key together: pages of %d', async (size) => {
    const [a, b] = ['entity-a', 'entity-b']
    const facts = [
      fact(a),
      keyed(a, 'k'),
      keyed(a, 'k'),
      keyed(b, 'k'),
      keyed(b, 'l'),
      fact(a),
      fact(a),
    ]
    const runs = (await portions(facts, size)).flat()
    expect(runs.map(({ stream, key, facts: { length } }) => [stream, key, length])).toEqual([
      [a, undefined, 1],
      [a, keyHash('k'), 2],
      [b, keyHash('k'), 1],
      [b, keyHash('l'), 1],
      [a, undefined, 1],
      [a, undefined, 1],
    ])
    expect(runs.flatMap((run) => run.facts.map(({ id }) => id))).toEqual(facts.map(({ id }) => id))
  })

  it('use a key only if it is a hash', async () => {
    const short = () => fact('entity-a', {}, { idempotencyKey: 'short' })
    const [runs] = await portions([short(), short()])
    expect(runs?.map(({ key, facts }) => [key, facts.length])).toEqual([
      [undefined, 1],
      [undefined, 1],
    ])
  })

  it('have at most 2 MiB without splitting the facts of a key', async () => {
    const third = 700_000
    const a = (key: string) => keyed('entity-a', key, third)
    const found = await portions([a('k'), a('l'), a('l'), a('m'), a('n'), a('o')])
    expect(found.map((runs) => runs.map(({ facts }) => facts.length))).toEqual([
      [1],
      [2],
      [1, 1],
      [1],
    ])
  })

  it('have at most 2,000 facts', async () => {
    const facts = Array.from({ length: 4_001 }, (_, n) => fact(`entity-${String(n % 3)}`))
    expect((await portions(facts, 100)).map(({ length }) => length)).toEqual([2_000, 2_000, 1])
  })
})

describe('erased entities of the source', () => {
  it('stop the whole copy to a store that would keep their facts', async () => {
    const target = await MemoryCopies.of([])
    source.erasedCounts = { unfinished: 2, suppressed: 2 }
    await expect(copy(source, target)).rejects.toThrow(/2 erased entities.*dossier_erasures_open/)
    expect(await target.facts()).toEqual([])
  })

  it('are reported as reusable in a store that cannot block reuse', async () => {
    source.erasedCounts = { unfinished: 0, suppressed: 3 }
    const { erased, differences } = await copy(source, await MemoryCopies.of([]))
    expect(differences).toEqual([])
    expect(erased).toEqual([expect.stringMatching(/^3 ids .* can be created again in the target$/)])
  })
})
