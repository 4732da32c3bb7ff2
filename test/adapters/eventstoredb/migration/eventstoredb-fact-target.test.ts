import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { EventStoreDbEventStore } from '../../../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { parseConnectionUrl } from '../../../../src/adapters/eventstoredb/client/connection-url.js'
import { EventStoreDbFactTarget } from '../../../../src/adapters/eventstoredb/migration/eventstoredb-fact-target.js'
import { sizeOf } from '../../../../src/application/facts/stored-fact.js'
import { CopyRefused } from '../../../../src/application/migration/ports/fact-copy.js'
import { factsIn, factTargetContract, runsOf } from '../../../contracts/fact-target-contract.js'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { quickOrThorough, itThoroughly } from '../../../support/thoroughness.js'
import type { NamedFact } from '../../../support/memory-copies.js'
import { silentLog } from '../../../support/silent-log.js'
import { addition, storedFact } from '../../../support/stored-facts.js'
import { openStoreAt } from '../open-store.js'

let double: EventStoreDouble

beforeEach(async () => {
  double = await EventStoreDouble.start()
})

afterEach(async () => {
  await double.close()
})

function options(more: { retryForMs?: number; timeoutMs?: number } = {}, of = double) {
  const url = parseConnectionUrl(of.connectionString)
  if (url === undefined) throw new TypeError('not a connection string')
  return { url, timeoutMs: 60_000, retryForMs: 20_000, ...more }
}

/** Returns facts of three streams in alternation. */
function several(count: number): readonly NamedFact[] {
  return Array.from({ length: count }, (_, n) => ({
    stream: `entity-${String(n % 3)}`,
    ...storedFact({ n }),
  }))
}

const idsOf = (facts: readonly { readonly id: string }[]) => facts.map(({ id }) => id)
const stored = () => idsOf(double.records().filter(({ stream }) => stream.startsWith('entity-')))

/** Returns the events of a server without its system events. */
const ofPrograms = (server: EventStoreDouble) =>
  server.records().filter(({ stream }) => !stream.startsWith('$'))

describe('copying into EventStoreDB', () => {
  factTargetContract(() => ({
    target: () => EventStoreDbFactTarget.open(options()),
    store: () => Promise.resolve(openStoreAt(double.connectionString)),
  }))
})

describe('a target in EventStoreDB', () => {
  let target: EventStoreDbFactTarget

  beforeEach(async () => {
    target = await EventStoreDbFactTarget.open(options())
  })

  afterEach(async () => {
    await target.close()
  })

  const some = quickOrThorough({ quick: 20, thorough: 50 })
  const many = quickOrThorough({ quick: 60, thorough: 200 })
  it.each([
    ['the only append', 1, 0],
    ['the first append', many, 0],
    ['an append in the middle', many, Math.floor(0.6 * many)],
    ['the last append', many, many - 1],
  ])('keeps the order when %s is stored and the connection is cut', async (_, count, cut) => {
    const facts = several(count)
    await target.append(runsOf(several(9)))
    const before = stored()
    const stream = 'entity-cut'
    double.faults.drop('afterWrite', { stream })
    await target.append(runsOf(facts.map((fact, n) => (n === cut ? { ...fact, stream } : fact))))
    expect(stored()).toEqual([...before, ...idsOf(facts)])
  })

  it.each(['server-not-ready', 'commit-timeout', 'unknown-error', 'not-leader'] as const)(
    'continues after %s',
    async (refusal) => {
      const facts = several(some)
      double.faults.refuse(refusal, { stream: 'entity-1' }, 'afterWrite')
      await target.append(runsOf(facts))
      expect(stored()).toEqual(idsOf(facts))
    },
  )

  it.each(['server-not-ready', 'commit-timeout', 'not-leader'] as const)(
    'continues after %s that refused the last append',
    async (refusal) => {
      const facts = [...several(some), { stream: 'entity-last', ...storedFact() }]
      double.faults.refuse(refusal, { stream: 'entity-last' })
      await target.append(runsOf(facts))
      expect(stored()).toEqual(idsOf(facts))
    },
  )

  it('stops when an append was not stored and later ones were', async () => {
    const facts = several(some)
    double.faults.refuse('commit-timeout', { stream: 'entity-1' })
    const refusal = target.append(runsOf(facts))
    await expect(refusal).rejects.toThrow(CopyRefused)
    await expect(refusal).rejects.toThrow(/another order .* begin again with an empty store/)
    expect(stored()).not.toEqual(idsOf(facts))
  })

  it('sends nothing more after a known failure', async () => {
    const hasty = await EventStoreDbFactTarget.open(options({ retryForMs: 0 }))
    const first = { stream: 'entity-first', ...storedFact() }
    double.faults.refuse('unknown-error', { stream: first.stream })
    const x = 'x'.repeat(500_000)
    const count = quickOrThorough({ quick: 30, thorough: 60 })
    const others = Array.from({ length: count }, (_, n) => ({
      stream: `entity-${String(n)}`,
      ...storedFact({ x }),
    }))
    const refusal = hasty.append(runsOf([first, ...others]))
    await expect(refusal).rejects.toMatchObject({ code: 'store_unavailable' })
    await hasty.close()
    expect(stored().length).toBeLessThan(count)
  })

  it('continues when no answer arrives in time', async () => {
    const hasty = await EventStoreDbFactTarget.open(options({ timeoutMs: 300 }))
    const facts = several(some)
    const gate = double.faults.hold('afterWrite', { stream: 'entity-2' })
    await hasty.append(runsOf(facts))
    expect(stored()).toEqual(idsOf(facts))
    gate.release()
    await hasty.close()
  })

  it('recognises an append of an earlier process, also after a restart of the server', async () => {
    const facts = several(60)
    await target.append(runsOf(facts.slice(0, 20)))
    const late = await EventStoreDbFactTarget.open(options())
    await late.append(runsOf(facts.slice(20, 25)))
    await double.restart()
    await target.append(runsOf(facts.slice(20)))
    expect(stored()).toEqual(idsOf(facts))
    await late.close()
  })

  it.each([
    ['gets other facts', 'entity-1'],
    ['appears', 'entity-new'],
  ])('refuses a stream that %s during the copy', async (_, stream) => {
    const facts = several(20)
    await target.append(runsOf(facts.slice(0, 9)))
    const store = new EventStoreDbEventStore({ ...options(), log: silentLog })
    const expected = stream === 'entity-new' ? 'new' : 'existing'
    await store.append({ ...addition(stream), expected })
    await store.close()
    const rest = [...facts.slice(9), { stream, ...storedFact() }]
    const refusal = target.append(runsOf(rest))
    await expect(refusal).rejects.toThrow(CopyRefused)
    await expect(refusal).rejects.toThrow(/begin again with an empty store/)
  })

  it('reads the ends of streams that existed before', async () => {
    const facts = several(quickOrThorough({ quick: 150, thorough: 400 }))
    await target.append(runsOf(facts.slice(0, 100)))
    const next = await EventStoreDbFactTarget.open(options())
    double.faults.drop('beforeRead', { rpc: 'read', stream: 'entity-2' })
    await next.append(runsOf(facts.slice(100)))
    expect(stored()).toEqual(idsOf(facts))
    await next.close()
  })

  it('gives up after its timeout, with the reason', async () => {
    const hasty = await EventStoreDbFactTarget.open(options({ retryForMs: 0 }))
    double.faults.refuse('unknown-error', { times: 100 })
    await expect(hasty.append(runsOf(several(1)))).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await hasty.close()
  })

  it('is refused on a server without BatchAppend', async () => {
    const old = await EventStoreDouble.start({ batchAppend: false })
    const into = await EventStoreDbFactTarget.open(options({}, old))
    await expect(into.append(runsOf(several(1)))).rejects.toThrow(/does not offer BatchAppend/)
    await into.close()
    await old.close()
  })

  const fact = storedFact()
  it.each([
    ['data with white space', { ...fact, data: '{ "n": 1 }' }],
    ['a number too large for a double', { ...fact, data: '{"n":12345678901234567890}' }],
    ['members in another order', { ...fact, data: '{"b":1,"1":2}' }],
    ['data that is not an object', { ...fact, data: '1' }],
    ['metadata that is not JSON', { ...fact, metadata: '' }],
    ['an id in upper case', { ...fact, id: fact.id.toUpperCase() }],
    ['an id that is not a UUID', { ...fact, id: 'x' }],
  ])('refuses %s, names the fact, and stores nothing', async (_, odd) => {
    const refusal = target.assertTakes(runsOf([...several(3), { stream: 'entity-a', ...odd }]))
    await expect(refusal).rejects.toThrow(CopyRefused)
    await expect(refusal).rejects.toThrow(`fact ${odd.id} of stream "entity-a"`)
    expect(stored()).toEqual([])
  })

  it.each([
    ['an append', { append: 5_000 }],
    ['an event', { event: 5_000 }],
  ])('refuses a fact larger than %s of the server, and names it', async (_, limits) => {
    const strict = await EventStoreDouble.start({ limits })
    const into = await EventStoreDbFactTarget.open(options({}, strict))
    const sized = (size: number) => {
      const frame = sizeOf(storedFact({ x: '' }))
      return { stream: 'entity-a', ...storedFact({ x: 'x'.repeat(size - frame) }) }
    }
    await into.assertTakes(runsOf([...several(3), sized(5_000), ...several(3)]))
    const large = sized(5_001)
    const refusal = into.assertTakes(runsOf([...several(3), large, ...several(3)]))
    await expect(refusal).rejects.toThrow(CopyRefused)
    await expect(refusal).rejects.toThrow(
      `fact ${large.id} of stream "entity-a" cannot be copied unchanged: it has 5001 bytes`,
    )
    expect(ofPrograms(strict)).toEqual([])
    await into.close()
    await strict.close()
  })

  it('tests the size limits of a server that does not answer at first', async () => {
    double.faults.refuse('server-not-ready')
    double.faults.drop('beforeRead')
    await target.assertTakes(runsOf(several(3)))
    expect(ofPrograms(double)).toEqual([])
  })

  // The quick test is in the contract, with fewer facts.
  itThoroughly('has its facts in position order', async () => {
    const facts = several(300)
    await target.append(runsOf(facts))
    expect(await factsIn(target)).toEqual(facts)
  })
})
