import { expect, it } from '@jest/globals'
import { Random } from '../../drill/random.js'
import { killUnderBatches } from '../../drill/scenarios/kill.js'
import { openDouble, openSqlite } from '../../drill/stores.js'

const stores = { sqlite: openSqlite, EventStoreDB: openDouble }
const tried: readonly (keyof typeof stores)[] = ['sqlite', 'EventStoreDB']

it.each(tried)(
  'stores each item once and loses none when it is killed in the middle of batches: %s',
  async (store) => {
    const row = await killUnderBatches(await stores[store](), {
      form: 'short',
      random: new Random(7),
      runId: 'killed',
      say: () => undefined,
      stores: [],
    })
    expect(row.faults).toEqual([])
    expect([row.acknowledged, row.found]).toEqual([row.tried, row.tried])
  },
  120_000,
)
