import { afterEach, describe, expect, it } from '@jest/globals'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { SqliteProjections } from '../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { pause } from '../../../src/adapters/system/clock-and-ids.js'
import { readFactsUseCase } from '../../../src/application/reading/read-facts.js'
import { RunningProjections } from '../../../src/application/reading/run-projections.js'
import { silentLog } from '../../support/silent-log.js'
import { storedEntity } from '../../support/stored-entity.js'
import { TroubledLog } from '../../support/troubled-log.js'

const opened: RunningProjections[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

/** Returns the feed of a store with two facts of one entity, which are applied. */
async function feed() {
  const store = new MemoryEventStore()
  const log = new TroubledLog(store)
  const projections = SqliteProjections.open({
    path: 'memory:',
    factsFile: undefined,
    onDropped: () => undefined,
    onDiverged: () => undefined,
  })
  const model = new RunningProjections(log, projections, { log: silentLog, gatherMs: 0, pause })
  opened.push(model)
  model.start()
  const write = async (externalId: string) => {
    for (const append of storedEntity(externalId, 0)) await store.append(append)
  }
  const readFacts = readFactsUseCase(model)
  const page = async (waitMs: number, limit = 100) => {
    const { value, position } = await readFacts({ start: 'start', limit }, { waitMs })
    return { facts: value.facts.length, atHead: value.atHead, position }
  }
  await write('ada')
  await model.query('profile', { externalId: 'ada' }, { position: 'head', waitMs: 20_000 })
  return { log, model, write, page }
}

describe('a page of the feed', () => {
  it('is at the head when the store has no facts of Dossier after it', async () => {
    const { page } = await feed()
    expect(await page(0)).toEqual({ facts: 2, atHead: true, position: 2 })
  })

  it('is at the head when only other programs have stored data after it', async () => {
    const { log, page } = await feed()
    log.foreign = 10
    expect(await page(0)).toEqual({ facts: 2, atHead: true, position: 2 })
  })

  it.each([0, 20])(
    'is not at the head while the store has facts that are not applied, after %i ms',
    async (waitMs) => {
      const { log, write, page } = await feed()
      log.hold()
      await write('bob')
      expect(await page(waitMs)).toEqual({ facts: 2, atHead: false, position: 2 })
      log.release()
    },
  )

  it('is not at the head when facts arrive during the request to the store', async () => {
    const { log, write, page } = await feed()
    log.hold()
    await write('bob')
    const early = page(20_000)
    log.release()
    expect(await early).toEqual({ facts: 2, atHead: false, position: 2 })
    expect(await page(0)).toEqual({ facts: 4, atHead: true, position: 4 })
  })

  it.each([0, 20])(
    'is answered but not at the head when the store does not respond, after %i ms',
    async (waitMs) => {
      const { log, page } = await feed()
      log.isAway = true
      expect(await page(waitMs)).toEqual({ facts: 2, atHead: false, position: 2 })
    },
  )

  it('is answered but not at the head when the store was restored without facts of the page', async () => {
    const { log, page } = await feed()
    log.store = new MemoryEventStore()
    expect(await page(0)).toEqual({ facts: 2, atHead: false, position: 2 })
  })

  it('needs no request to the store when later facts are applied', async () => {
    const { log, page } = await feed()
    const before = log.asked
    expect(await page(0, 1)).toEqual({ facts: 1, atHead: false, position: 2 })
    expect(log.asked).toBe(before)
  })

  it('needs few requests to the store, however many pages are read at once', async () => {
    const { log, page } = await feed()
    const before = log.asked
    const pages = await Promise.all(Array.from({ length: 100 }, () => page(0)))
    expect(pages.every(({ atHead }) => atHead)).toBe(true)
    expect(log.asked - before).toBeLessThanOrEqual(2)
  })
})
