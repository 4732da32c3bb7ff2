import { afterEach, expect, it } from '@jest/globals'
import { Random } from '../../fault-injection/random.js'
import { DoubleProcess } from '../support/double-process.js'
import { feedPages } from '../support/paging/cursor-pages.js'
import {
  listsOf,
  loggedFact,
  type LoggedFact,
  type PagedList,
} from '../support/paging/paged-lists.js'
import { PacedLoad } from '../support/paging/paced-load.js'
import { faultsIn, pagingOf, type Paging } from '../support/paging/paging-reader.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

/** At about 1,000 a second. */
const facts = 30_000
const entityCount = 8
const seed = 20_261_123

const folder = temporaryFolders()
const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanUp.splice(0)) await clean()
})

it.each(['sqlite', 'EventStoreDB'])(
  'what is read page by page while 1,000 facts a second arrive is not skipped or seen twice: %s',
  async (store) => {
    const env = { READ_MODEL: 'data/read-model.db', ...(await storeUrl(store)) }
    const service = await StartedService.start(folder(), env)
    const load = new PacedLoad(service, seed, entityCount)
    await load.begin()
    const [entity = ''] = load.entities
    const lists = listsOf(entity, entityCount)

    const readings = lists.map((list, at) => readUnderLoad(service, list, load, seed + at))
    const [pagings] = await Promise.all([Promise.all(readings), load.run(facts)])
    const log = await wholeLog(service, load.position)

    expect([...log.values()].map(({ position }) => position)).toEqual(
      load.acknowledged.toSorted((left, right) => left - right),
    )
    for (const ofList of pagings) {
      expect(ofList.flatMap((paging) => faultsIn(paging, log))).toEqual([])
      // Facts did arrive between the pages.
      expect(ofList.some(({ pages, before, after }) => pages > 2 && after > before)).toBe(true)
    }
    expect((await service.end()).code).toBe(0)
  },
)

async function storeUrl(store: string): Promise<Readonly<Record<string, string>>> {
  if (store === 'sqlite') return {}
  const double = await DoubleProcess.start()
  cleanUp.push(() => double.end())
  return { STORE_URL: double.connectionString }
}

/** Reads a list again and again while the load goes on. */
async function readUnderLoad(
  service: StartedService,
  list: PagedList,
  load: PacedLoad,
  itsSeed: number,
): Promise<readonly Paging[]> {
  const random = new Random(itsSeed)
  const pagings: Paging[] = []
  while (load.isRunning) pagings.push(await pagingOf(service, list, load, random))
  return pagings
}

async function wholeLog(
  service: StartedService,
  position: number,
): Promise<ReadonlyMap<string, LoggedFact>> {
  const log = new Map<string, LoggedFact>()
  const whole = { path: '/facts', query: { limit: '1000' }, position }
  for await (const page of feedPages(service, whole, loggedFact)) {
    for (const fact of page) log.set(fact.id, fact)
  }
  return log
}
