import { setImmediate as nextTurn } from 'node:timers/promises'
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
import { MemoryReadModel } from '../../support/memory-read-model.js'

/** A read model that answers when it is let go, and says what is under way. */
function held() {
  const inner = new MemoryReadModel(new LoggedStore(new MemoryEventStore()))
  const underWay: { name: QueryName; want: Want; letGo: () => void }[] = []
  const model: ReadModel = {
    ask: async (name, query, want) => {
      await new Promise<void>((resolve) => {
        underWay.push({ name, want, letGo: resolve })
      })
      return inner.ask(name, query, { waitMs: 0 })
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

/** Asks so many times for what nobody of this test waits for. */
function askForPages(reads: FairReads, times: number, want: Want): void {
  for (let n = 0; n < times; n += 1) reads.ask('facts', page, want).catch(() => undefined)
}

describe('fair reads', () => {
  it('have few pages under way at once, of one caller fewer, and others have theirs', async () => {
    const { reads, underWay } = held()
    const asked = Array.from({ length: 6 }, () =>
      reads.ask('facts', page, { waitMs: 0, caller: 'hostile' }),
    )
    await nextTurn()
    expect(underWay).toHaveLength(3)
    asked.push(reads.ask('facts', page, { waitMs: 0, caller: 'other' }))
    await nextTurn()
    expect(underWay).toHaveLength(4)
    for (let n = 0; n < 7; n += 1) {
      underWay[n]?.letGo()
      await nextTurn()
    }
    await expect(Promise.all(asked)).resolves.toHaveLength(7)
  })

  it('let small reads pass, however many pages wait', async () => {
    const { reads, underWay } = held()
    askForPages(reads, 20, { waitMs: 0, caller: 'hostile' })
    reads
      .ask('profile', { externalId: 'ada' }, { waitMs: 0, caller: 'hostile' })
      .catch(() => undefined)
    await nextTurn()
    expect(underWay.map(({ name }) => name)).toEqual(['facts', 'facts', 'facts', 'profile'])
  })

  it('fold for two requests of one caller at a time, and refuse those beyond the queue', async () => {
    const { reads, underWay } = held()
    const query = { rule: { everyone: true as const }, externalIds: ['ada'] }
    const refused: unknown[] = []
    for (let n = 0; n < 40; n += 1) {
      reads
        .ask('evaluateRule', query, { waitMs: 0, caller: 'hostile' })
        .catch((error: unknown) => refused.push(error))
    }
    await nextTurn()
    expect(underWay).toHaveLength(2)
    expect(refused).toEqual(Array(6).fill(expect.objectContaining({ code: 'overloaded' })))
  })

  it('do not begin what nobody waits for any more', async () => {
    const { reads, underWay } = held()
    askForPages(reads, 3, { waitMs: 0, caller: 'hostile' })
    const gone = new Cancellation()
    const given = reads.ask('facts', page, { waitMs: 0, caller: 'hostile', cancellation: gone })
    const last = reads.ask('facts', page, { waitMs: 0, caller: 'hostile' })
    await nextTurn()
    gone.cancel()
    await expect(given).rejects.toMatchObject({ code: 'overloaded' })
    for (let n = 0; n < 4; n += 1) {
      underWay[n]?.letGo()
      await nextTurn()
    }
    await last
    expect(underWay).toHaveLength(4)
  })

  it('give no permit to who waits for a position: a page is asked for when that is reached', async () => {
    const { reads, underWay } = held()
    askForPages(reads, 5, { position: 11, waitMs: 500, caller: 'hostile' })
    await nextTurn()
    expect(underWay.map(({ name }) => name)).toEqual(Array(5).fill('factAt'))
    for (const { letGo } of [...underWay]) letGo()
    await nextTurn()
    await nextTurn()
    expect(underWay.slice(5).every(({ want }) => want.position === undefined)).toBe(true)
  })

  it('answer this process itself at once', async () => {
    const { reads, underWay } = held()
    askForPages(reads, 9, { waitMs: 0 })
    await nextTurn()
    expect(underWay).toHaveLength(9)
  })
})
