import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { FactLog, LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'
import { noRevision, type ExactAppends } from '../../src/application/ports/exact-appends.js'
import type { EventStore, Receipt } from '../../src/application/recording/ports/event-store.js'
import { assertInOrder, factsAfter, takeUntil } from '../support/followed-log.js'
import { quickOrThorough } from '../support/thoroughness.js'
import { addition, creation, storedFact } from '../support/stored-facts.js'

/** The setup that the suite of a log provides: a store, possibly with facts, and its log. */
export interface FactLogBench {
  readonly store: EventStore & ExactAppends
  readonly log: FactLog
  /** Closes the store and the log. The log may already be closed. */
  close(): Promise<void>
}

/** Tests the promises of every fact log. */
export function factLogContract(name: string, open: () => Promise<FactLogBench>): void {
  describe(name, () => {
    let bench: FactLogBench
    let store: FactLogBench['store']
    let log: FactLog
    /** The end of the log before the test. */
    let start: number

    beforeEach(async () => {
      bench = await open()
      ;({ store, log } = bench)
      start = (await log.head()).end
    })

    afterEach(async () => {
      await bench.close()
    })

    const positionOf = ({ position }: Receipt) => Number(position)

    /** Appends facts to a new stream, one append per fact. Returns them as logged facts. */
    async function write(stream: string, count: number): Promise<readonly LoggedFact[]> {
      const written: LoggedFact[] = []
      for (let n = 0; n < count; n += 1) {
        const fact = storedFact({ n })
        const append = n === 0 ? creation(stream, fact) : addition(stream, fact)
        const position = positionOf(await store.append(append))
        written.push({ ...fact, stream, position })
      }
      return written
    }

    /**
     * Appends facts that do not belong to the product, four times `count`. The names of some streams begin like the
     * product's. Returns the last position of each quarter.
     */
    async function writeOthers(count: number): Promise<readonly number[]> {
      const facts = (type: string): readonly StoredFact[] =>
        Array.from({ length: count }, (_, n) => ({ ...storedFact({ n }), type }))
      const appends = [
        ...['order-', 'segments-', 'Entity-'].map((prefix) =>
          creation(`${prefix}${randomUUID()}`, ...facts('EventRecorded')),
        ),
        creation(aStream(), ...facts('EntityRenamed')),
      ]
      const places: number[] = []
      for (const append of appends) places.push(positionOf(await store.append(append)))
      return places
    }

    /** Returns the facts after a position, up to `newest`. */
    async function factsUntil(newest: number, after: number): Promise<readonly LoggedFact[]> {
      return (await takeUntil(log, after, ({ reached }) => reached >= newest)).facts
    }

    describe('following', () => {
      it('returns every fact as stored, in position order', async () => {
        const one = await write(aStream(), 3)
        const text = storedFact({ text: '\u0000\u2028"\\/🙂é\u001f', n: [1.5, null] })
        const odd = `members-${randomUUID()} %/顧客`
        const append = { stream: odd, revision: noRevision, facts: [text] }
        const position = Number((await store.appendAt(append)).position)
        const two = await write(aStream(), 2)
        expect(await factsAfter(log, start)).toEqual([
          ...one,
          { ...text, stream: odd, position },
          ...two,
        ])
      })

      it('returns all facts from the start', async () => {
        const written = await write(aStream(), 2)
        const all = await factsAfter(log, 0)
        expect(all.filter((fact) => fact.position > start)).toEqual(written)
      })

      it("reports the start of a fact's stream correctly, or does not report it", async () => {
        const [one, other] = [aStream(), aStream()]
        const [first] = await write(one, 2)
        const [second] = await write(other, 1)
        await store.append(addition(one, storedFact()))
        for (const { position } of await factsAfter(log, start)) {
          const { stream, streamStart } = (await log.at(position)) ?? {}
          const begins = stream === one ? first?.position : second?.position
          expect([begins, undefined]).toContain(streamStart)
        }
      })

      it("returns the facts of one append in order, with the last at the append's position", async () => {
        const stream = aStream()
        const facts = Array.from({ length: 50 }, (_, n) => storedFact({ n }))
        const first = await store.append(creation(stream, ...facts.slice(0, 30)))
        const second = await store.append(addition(stream, ...facts.slice(30)))
        const taken = await factsAfter(log, start)
        expect(taken.map(({ id }) => id)).toEqual(facts.map(({ id }) => id))
        expect(taken[29]?.position).toBe(positionOf(first))
        expect(taken[49]?.position).toBe(positionOf(second))
      })

      it('resumes after any fact with all following facts', async () => {
        const stream = aStream()
        await store.append(creation(stream, storedFact(), storedFact(), storedFact()))
        await store.append(addition(stream, storedFact()))
        await write(aStream(), 6)
        const all = await factsAfter(log, start)
        expect(all).toHaveLength(10)
        const { newest } = await log.head()
        for (const [index, { position }] of all.entries())
          expect(await factsUntil(newest, position)).toEqual(all.slice(index + 1))
      })

      it('resumes after any reached position with all following facts', async () => {
        await write(aStream(), 3)
        await writeOthers(quickOrThorough({ quick: 10, thorough: 25 }))
        await write(aStream(), 3)
        const places: number[] = []
        const { newest } = await log.head()
        const { facts } = await takeUntil(log, start, ({ reached }) => {
          places.push(reached)
          return reached >= newest
        })
        expect(facts).toHaveLength(6)
        for (const place of places) {
          const rest = facts.filter(({ position }) => position > place)
          expect(await factsUntil(newest, place)).toEqual(rest)
        }
      })

      it('continues with facts that many writers store in the meantime, each once', async () => {
        await write(aStream(), 20)
        const each = quickOrThorough({ quick: 25, thorough: 60 })
        const appender = () => write(aStream(), each)
        const last = storedFact()
        const live = takeUntil(log, start, ({ facts }) => facts.some(({ id }) => id === last.id))
        const written = await Promise.all([appender(), appender(), appender(), appender()])
        await store.append(creation(aStream(), last))
        const { facts } = await live
        const byPosition = written.flat().toSorted((one, other) => one.position - other.position)
        expect(facts.slice(20, -1)).toEqual(byPosition)
      })

      it('returns a new fact immediately when it is waiting', async () => {
        const following = log.follow(start, new AbortController().signal)[Symbol.asyncIterator]()
        for (const fact of [storedFact({ n: 1 }), storedFact({ n: 2 })]) {
          const [next] = await Promise.all([
            nextWithFacts(following),
            store.append(creation(aStream(), fact)),
          ])
          expect(next).toMatchObject({ done: false, value: { facts: [fact] } })
        }
        await following.return?.()
      })

      it('skips events that are not ours, and reports its progress', async () => {
        await writeOthers(20)
        const ours = await write(aStream(), 1)
        expect(await factsAfter(log, start)).toEqual(ours)
        const following = takeUntil(log, start, ({ reached }) => reached > (ours[0]?.position ?? 0))
        await writeOthers(50)
        const { reached, facts } = await following
        expect(facts).toEqual(ours)
        expect(reached).toBeLessThanOrEqual((await log.head()).end)
        expect(await factsAfter(log, reached)).toEqual([])
      })

      it('by two followers returns everything to each', async () => {
        const isAll = ({ facts }: { readonly facts: readonly unknown[] }) => facts.length === 30
        const both = [takeUntil(log, start, isAll), takeUntil(log, start, isAll)]
        const written = await write(aStream(), 30)
        for (const { facts } of await Promise.all(both)) expect(facts).toEqual(written)
      })

      it('from the last position returns only later facts', async () => {
        await write(aStream(), 2)
        const { end } = await log.head()
        const following = takeUntil(log, end, ({ facts }) => facts.length === 1)
        const written = await write(aStream(), 1)
        expect((await following).facts).toEqual(written)
      })
    })

    describe('an aborted signal', () => {
      it('before the start returns nothing', async () => {
        await write(aStream(), 1)
        expect(await collect(log, start, AbortSignal.abort())).toEqual([])
      })

      it('ends the follower while it waits', async () => {
        const stopping = new AbortController()
        const following = log.follow(start, stopping.signal)[Symbol.asyncIterator]()
        const fact = storedFact()
        const [first] = await Promise.all([
          nextWithFacts(following),
          store.append(creation(aStream(), fact)),
        ])
        expect(first.value).toMatchObject({ facts: [fact] })
        const waiting = following.next()
        stopping.abort()
        expect(await waiting).toEqual({ done: true, value: undefined })
      })

      it('ends the follower while it connects', async () => {
        const stopping = new AbortController()
        const ended = collect(log, start, stopping.signal)
        stopping.abort()
        expect(await ended).toEqual([])
      })

      it('while a page is processed prevents further pages', async () => {
        await write(aStream(), 30)
        const stopping = new AbortController()
        let pages = 0
        for await (const { facts } of log.follow(start, stopping.signal)) {
          pages += facts.length > 0 ? 1 : 0
          if (facts.length === 0) continue
          await write(aStream(), 3)
          stopping.abort()
        }
        expect(pages).toBe(1)
      })

      it('of one follower does not end another', async () => {
        const stopping = new AbortController()
        const one = collect(log, start, stopping.signal)
        const other = takeUntil(log, start, ({ facts }) => facts.length === 10)
        await write(aStream(), 5)
        stopping.abort()
        await one
        await write(aStream(), 5)
        expect((await other).facts).toHaveLength(10)
      })
    })

    describe('the end of the log', () => {
      it('is at the newest fact as soon as that is acknowledged', async () => {
        for (let n = 0; n < quickOrThorough({ quick: 6, thorough: 20 }); n += 1) {
          const position = positionOf(await store.append(creation(aStream())))
          expect(await log.head()).toEqual({ newest: position, end: position })
        }
      })

      it('includes foreign events after our newest fact', async () => {
        const [ours] = await write(aStream(), 1)
        await writeOthers(3)
        const head = await log.head()
        expect(head.newest).toBeGreaterThanOrEqual(ours?.position ?? Infinity)
        expect(head.end).toBeGreaterThanOrEqual(head.newest)
        await writeOthers(99)
        const [last = 0] = (await writeOthers(1)).slice(-1)
        const { newest, end } = await log.head()
        expect(newest).toBeGreaterThanOrEqual(ours?.position ?? Infinity)
        expect(end).toBeLessThanOrEqual(last)
        expect(await factsAfter(log, newest)).toEqual([])
      })

      it('is reached by every follower, before and after more is stored', async () => {
        const reachedNewest = async () => {
          const { newest } = await log.head()
          return (await takeUntil(log, start, ({ reached }) => reached >= newest)).facts.length
        }
        expect(await reachedNewest()).toBe(0)
        await write(aStream(), 3)
        expect(await reachedNewest()).toBe(3)
        await writeOthers(100)
        expect(await reachedNewest()).toBe(3)
      })
    })

    describe('the fact at a position', () => {
      it('is the fact that a follower received there', async () => {
        const stream = aStream()
        await store.append(creation(stream, storedFact(), storedFact(), storedFact()))
        await write(aStream(), 3)
        const all = await factsAfter(log, start)
        expect(all).toHaveLength(6)
        for (const fact of all) expect(await log.at(fact.position)).toMatchObject(fact)
      })

      it('is undefined for foreign events, between facts, after the end and at 0', async () => {
        const [ours] = await write(aStream(), 1)
        const others = await writeOthers(1)
        const last = await write(aStream(), 1)
        const { end } = await log.head()
        for (const place of [
          0,
          -1,
          1.5,
          ...others,
          (ours?.position ?? 0) + 0.5,
          end + 1,
          end + 1e9,
        ])
          expect(await log.at(place)).toBeUndefined()
        const taken = new Set([ours, ...last].map((fact) => fact?.position))
        for (let place = end - 40; place <= end; place += 1)
          expect((await log.at(place)) === undefined || taken.has(place) || place <= start).toBe(
            true,
          )
      })
    })

    describe('closing', () => {
      it('ends all followers, and answers no further calls', async () => {
        await write(aStream(), 1)
        const following = log.follow(start, new AbortController().signal)[Symbol.asyncIterator]()
        expect(await nextWithFacts(following)).toMatchObject({ done: false })
        const broken = expect(nextWithFacts(following)).rejects.toMatchObject({
          code: 'store_unavailable',
        })
        await log.close()
        await broken
        const never = () => false
        await expect(takeUntil(log, start, never)).rejects.toMatchObject({
          code: 'store_unavailable',
        })
        await expect(log.head()).rejects.toMatchObject({ code: 'store_unavailable' })
        await expect(log.at(start + 1)).rejects.toMatchObject({ code: 'store_unavailable' })
        await expect(log.close()).resolves.toBeUndefined()
      })
    })
  })
}

function aStream(): string {
  return `entity-${randomUUID()}`
}

async function nextWithFacts(
  following: AsyncIterator<{ readonly facts: readonly LoggedFact[] }>,
): Promise<IteratorResult<{ readonly facts: readonly LoggedFact[] }>> {
  for (;;) {
    const next = await following.next()
    if (next.done === true || next.value.facts.length > 0) return next
  }
}

async function collect(
  log: FactLog,
  after: number,
  signal: AbortSignal,
): Promise<readonly LoggedFact[]> {
  const facts: LoggedFact[] = []
  let reached = after
  for await (const page of log.follow(after, signal)) {
    assertInOrder(page, reached)
    reached = page.reached
    facts.push(...page.facts)
  }
  return facts
}
