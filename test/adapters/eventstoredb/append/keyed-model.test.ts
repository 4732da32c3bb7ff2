import { describe, expect, it } from '@jest/globals'
import type { RecordedFact } from '../../../../src/adapters/eventstoredb/append/connection.js'
import { IdempotencyIndex } from '../../../../src/adapters/eventstoredb/append/idempotency-index.js'
import { KeyedAppend } from '../../../../src/adapters/eventstoredb/append/keyed-append.js'
import {
  keyedCreation,
  type KeyedFacts,
} from '../../../../src/adapters/eventstoredb/append/keyed-creation.js'
import type { StreamAccess } from '../../../../src/adapters/eventstoredb/append/stream-access.js'
import type { StoredFact } from '../../../../src/application/facts/stored-fact.js'
import type { Receipt } from '../../../../src/application/recording/ports/event-store.js'
import { Refusal, isRefused } from '../../../../src/application/ports/refusal.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { StreamWorld, type WorldOptions } from './stream-world.js'

/** Sends one request of one process, whose knowledge of the stream is in `index`. */
type Send = (wanted: KeyedFacts, access: StreamAccess, index: IdempotencyIndex) => Promise<Receipt>

interface Scenario extends WorldOptions {
  readonly send: Send
  /** For each process, the names of its requests in order. */
  readonly processes: readonly (readonly string[])[]
  readonly faults: number
}

interface Ended {
  readonly request: string
  readonly receipt?: Receipt
  readonly error?: unknown
}

const add: Send = (wanted, access, index) => new KeyedAppend(wanted, access, index, Infinity).run()
/** Sends an append that arrived before its process knew the stream, so that the stream is not read again. */
const addLate: Send = (wanted, access, index) =>
  new KeyedAppend(wanted, access, index, -Infinity).run()
const create: Send = (wanted, access) => keyedCreation(wanted, access)

/** Sends a creation. If the stream exists, sends a change, which is another fact of the same request. */
const upsert: Send = async (wanted, access, index) => {
  try {
    return await create(wanted, access, index)
  } catch (error) {
    if (!isRefused(error, 'stream_exists')) throw error
    return await add({ ...wanted, facts: wanted.facts.map(asChange) }, access, index)
  }
}
const asChange = (fact: StoredFact): StoredFact => ({ ...fact, id: `${fact.id}${changeMark}` })
const changeMark = '-change'

/** Makes choices by a list of numbers, and computes the next list. */
class Path {
  private readonly counts: number[] = []
  private readonly taken: number[] = []

  constructor(private readonly given: readonly number[]) {}

  choose(count: number): number {
    const choice = this.given[this.taken.length] ?? 0
    this.taken.push(choice)
    this.counts.push(count)
    return choice
  }

  next(): readonly number[] | undefined {
    for (let n = this.taken.length - 1; n >= 0; n -= 1) {
      const following = (this.taken[n] ?? 0) + 1
      if (following < (this.counts[n] ?? 0)) return [...this.taken.slice(0, n), following]
    }
    return undefined
  }
}

function wantedOf(request: string): KeyedFacts {
  const metadata = JSON.stringify({ idempotencyKey: 'k' })
  const data = JSON.stringify({ request })
  return { key: 'k', facts: [{ id: request, type: 'T', data, metadata }] }
}

/** Runs the scenario once, with the choices of the path. */
async function play(scenario: Scenario, path: Path): Promise<void> {
  const world = new StreamWorld(scenario)
  const ended: Ended[] = []
  const working = scenario.processes.map(async (requests) => {
    const index = new IdempotencyIndex()
    for (const request of requests) {
      const sent = scenario.send(wantedOf(request), world.access(), index)
      const end = await sent.then(
        (receipt): Ended => ({ request, receipt }),
        (error: unknown): Ended => ({ request, error }),
      )
      ended.push(end)
      if (end.receipt !== undefined) return
    }
  })
  const state = { done: false }
  void Promise.all(working).then(() => (state.done = true))
  let faults = scenario.faults
  for (;;) {
    await quiet()
    if (state.done) break
    const moves = world.moves().filter(({ fault }) => !fault || faults > 0)
    const move = moves[path.choose(moves.length)]
    if (move === undefined) throw new Error('a promise is pending that nothing can settle')
    if (move.fault) faults -= 1
    move.make()
  }
  judge(ended, world.end(!world.unsettled || path.choose(2) === 0))
}

/** Resolves when all work that needs only promises is done. */
function quiet(): Promise<void> {
  return new Promise(setImmediate)
}

function judge(ended: readonly Ended[], stored: readonly RecordedFact[]): void {
  const mine = stored.filter(({ key }) => key === 'k')
  if (mine.length > 1) throw new Error('stored twice under one key')
  for (const { request, receipt, error } of ended) {
    const isStored = mine.some(({ fact }) => requestOf(fact) === request)
    if (receipt !== undefined) judgeReceipt(receipt, request, mine)
    else if (isCertain(error) ? isStored : !isRefused(error, 'outcome_unknown'))
      throw new Error(`a wrong refusal of ${request}`, { cause: error })
  }
}

function requestOf({ id }: StoredFact): string {
  return id.replace(changeMark, '')
}

function judgeReceipt(receipt: Receipt, request: string, mine: readonly RecordedFact[]): void {
  const [place] = mine
  const same =
    JSON.stringify(receipt.facts) === JSON.stringify(mine.map(({ fact }) => fact)) &&
    receipt.position === String(place?.position)
  if (!same) throw new Error('a receipt of what is not stored')
  if (!receipt.replayed && (!place || requestOf(place.fact) !== request))
    throw new Error("another one's receipt")
}

function isCertain(error: unknown): boolean {
  return isRefused(error, 'store_unavailable', 'overloaded', 'stream_exists')
}

/** Runs the scenario with every path. Returns the number of runs. */
async function playAll(scenario: Scenario): Promise<number> {
  let given: readonly number[] | undefined = []
  let runs = 0
  while (given !== undefined) {
    const path: Path = new Path(given)
    await play(scenario, path)
    runs += 1
    given = path.next()
  }
  return runs
}

const adding = { send: add, exists: true, foreignWrites: 1, attempts: 2, faults: 1 }
const creating = { ...adding, send: create, exists: false }
const upserting = { ...creating, send: upsert }
const most = quickOrThorough({ quick: 1, thorough: 2 })
const again = [['a', 'b']]
const two = [['a'], ['b']]

describe('an idempotency key is stored once and every answer is correct in every order of events, with', () => {
  it.each([
    ['one process that appends and repeats', { ...adding, faults: most, processes: again }],
    [
      'one process that repeats an append from before its first read',
      { ...adding, send: addLate, faults: most, processes: again },
    ],
    [
      'two processes that append',
      { ...adding, foreignWrites: 0, faults: most - 1, processes: two },
    ],
    [
      'two processes that append while another program writes',
      { ...adding, attempts: most, faults: 0, processes: two },
    ],
    ['one process that creates and repeats', { ...creating, faults: most, processes: again }],
    ['two processes that create', { ...creating, foreignWrites: 0, faults: most, processes: two }],
    [
      'two processes that create while another program writes',
      { ...creating, faults: 0, processes: two },
    ],
    [
      'one process that upserts an existing entity and repeats',
      { ...upserting, exists: true, foreignWrites: most - 1, faults: most, processes: again },
    ],
    [
      'one process that upserts while another program writes',
      { ...upserting, faults: most, processes: again },
    ],
    [
      'two processes that upsert an existing entity',
      { ...upserting, exists: true, foreignWrites: 0, faults: most - 1, processes: two },
    ],
  ] satisfies [string, Scenario][])('%s', async (_, scenario) => {
    expect(await playAll(scenario)).toBeGreaterThan(quickOrThorough({ quick: 40, thorough: 100 }))
  })
})

describe('the model detects', () => {
  const racing: Scenario = { ...adding, faults: 0, processes: two }
  const repeating: Scenario = { ...adding, faults: 2, processes: again }

  it('an append without a read before it', async () => {
    const blind: Send = (wanted, access, index) =>
      add(
        wanted,
        {
          ...access,
          read: async (range) =>
            (await access.read(range))?.map((one) => ({ ...one, key: undefined })),
        },
        index,
      )
    await expect(playAll({ ...racing, send: blind })).rejects.toThrow('stored twice under one key')
  })

  it('a retry at the new head although the outcome is unknown', async () => {
    const hasty: Send = async (wanted, access, index) => {
      for (;;) {
        const head = ((await access.read({ from: 'end', maxCount: 1 }).catch(() => undefined)) ??
          [])[0]
        const answer = await access.append(head?.revision ?? 0n, wanted.facts)
        if (answer.kind === 'stored')
          return { position: String(answer.position), facts: wanted.facts, replayed: false }
        if (access.timeIsUp()) throw new Refusal('outcome_unknown', 'no answer in time')
        index.reset()
      }
    }
    await expect(playAll({ ...repeating, send: hasty })).rejects.toThrow(
      'stored twice under one key',
    )
  })

  it('an unknown outcome that is treated as a refusal', async () => {
    const sure: Send = (wanted, access, index) =>
      add(
        wanted,
        {
          ...access,
          append: async (expected, facts) => {
            const answer = await access.append(expected, facts)
            return answer.kind === 'unknown' ? { ...answer, kind: 'refused' } : answer
          },
        },
        index,
      )
    await expect(playAll({ ...repeating, send: sure })).rejects.toThrow('a wrong refusal of a')
  })

  it('a refusal after an unknown outcome that is treated as final', async () => {
    const forgetful: Send = async (wanted, access, index) => {
      const found = await add(wanted, access, index).catch((error: unknown) => {
        throw isRefused(error, 'outcome_unknown') ? new Refusal('overloaded', 'time is up') : error
      })
      return found
    }
    await expect(playAll({ ...repeating, send: forgetful })).rejects.toThrow('a wrong refusal of a')
  })
})
