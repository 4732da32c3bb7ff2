import { setImmediate as immediate } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { Cancellation } from '../../../src/application/ports/cancellation.js'
import { FairReads } from '../../../src/application/reading/fair-reads.js'
import type {
  QueryName,
  ReadModel,
  Want,
} from '../../../src/application/reading/ports/read-model.js'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { LoggedStore } from '../../support/logged-store.js'
import { ReadModelInStep } from '../../support/read-model-in-step.js'

/** Returns a read model that answers when the test releases it, and lists the queries in progress. */
function held() {
  const inner = new ReadModelInStep(new LoggedStore(new MemoryEventStore()))
  const underWay: { name: QueryName; want: Want; letGo: () => void }[] = []
  const model: ReadModel = {
    query: async (name, query, want) => {
      await new Promise<void>((resolve) => {
        underWay.push({ name, want, letGo: resolve })
      })
      return inner.query(name, query, { waitMs: 0 })
    },
    get status() {
      return { ...inner.status, reached: 10 }
    },
    watch: (listener) => inner.watch(listener),
    close: () => inner.close(),
  }
  return { reads: new FairReads(model), underWay }
}

const page = { after: 0, limit: 10 }

/** Sends that many queries, whose answers the test does not need. */
function askForPages(reads: FairReads, times: number, want: Want): void {
  for (let n = 0; n < times; n += 1) reads.query('facts', page, want).catch(() => undefined)
}

describe('fair reads', () => {
  it('limit the concurrent pages of all callers and of one caller, and other callers get their share', async () => {
    const { reads, underWay } = held()
    const asked = Array.from({ length: 6 }, () =>
      reads.query('facts', page, { waitMs: 0, caller: 'hostile' }),
    )
    await immediate()
    expect(underWay).toHaveLength(3)
    asked.push(reads.query('facts', page, { waitMs: 0, caller: 'other' }))
    await immediate()
    expect(underWay).toHaveLength(4)
    for (let n = 0; n < 7; n += 1) {
      underWay[n]?.letGo()
      await immediate()
    }
    await expect(Promise.all(asked)).resolves.toHaveLength(7)
  })

  it('answer point queries at once, however many pages wait', async () => {
    const { reads, underWay } = held()
    askForPages(reads, 20, { waitMs: 0, caller: 'hostile' })
    reads
      .query('profile', { externalId: 'ada' }, { waitMs: 0, caller: 'hostile' })
      .catch(() => undefined)
    await immediate()
    expect(underWay.map(({ name }) => name)).toEqual(['facts', 'facts', 'facts', 'profile'])
  })

  it('run two fold queries of one caller at a time, and refuse queries beyond the queue', async () => {
    const { reads, underWay } = held()
    const query = { rule: { everyone: true as const }, externalIds: ['ada'] }
    const refused: unknown[] = []
    for (let n = 0; n < 40; n += 1) {
      reads
        .query('evaluateRule', query, { waitMs: 0, caller: 'hostile' })
        .catch((error: unknown) => refused.push(error))
    }
    await immediate()
    expect(underWay).toHaveLength(2)
    expect(refused).toEqual(Array(6).fill(expect.objectContaining({ code: 'overloaded' })))
  })

  it('do not start a query that was cancelled', async () => {
    const { reads, underWay } = held()
    askForPages(reads, 3, { waitMs: 0, caller: 'hostile' })
    const gone = new Cancellation()
    const given = reads.query('facts', page, { waitMs: 0, caller: 'hostile', cancellation: gone })
    const last = reads.query('facts', page, { waitMs: 0, caller: 'hostile' })
    await immediate()
    gone.cancel()
    await expect(given).rejects.toMatchObject({ code: 'overloaded' })
    for (let n = 0; n < 4; n += 1) {
      underWay[n]?.letGo()
      await immediate()
    }
    await last
    expect(underWay).toHaveLength(4)
  })

  it('give no permit to a page that waits for a position, and start it when the position is reached', async () => {
    const { reads, underWay } = held()
    askForPages(reads, 5, { position: 11, waitMs: 500, caller: 'hostile' })
    await immediate()
    expect(underWay.map(({ name }) => name)).toEqual(Array(5).fill('factAt'))
    for (const { letGo } of [...underWay]) letGo()
    await immediate()
    await immediate()
    const pages = underWay.slice(5)
    expect(pages.length).toBeGreaterThan(0)
    // The position is the one that was known then, because the read model may have fewer facts after a
    // failure.
    expect(pages.every(({ want }) => want.position === 0)).toBe(true)
  })

  it('pass on a position that is already reached, because the read model may have fewer facts after a failure', async () => {
    const { reads, underWay } = held()
    askForPages(reads, 1, { position: 10, waitMs: 500, caller: 'somebody' })
    await immediate()
    expect(underWay).toMatchObject([{ name: 'facts', want: { position: 10 } }])
  })

  it('answer queries of this process itself at once', async () => {
    const { reads, underWay } = held()
    askForPages(reads, 9, { waitMs: 0 })
    await immediate()
    expect(underWay).toHaveLength(9)
  })
})
