import { expect, it } from '@jest/globals'
import { Random } from '../../drill/random.js'
import { killUnderBatches } from '../../drill/scenarios/kill.js'
import { openDouble, openSqlite } from '../../drill/stores.js'
import { byForm } from '../support/form.js'

it.each([
  ['sqlite', openSqlite],
  ['EventStoreDB', openDouble],
])(
  'stores each item once and loses none when it is killed in the middle of batches: %s',
  async (_store, open) => {
    const { faults, tried, acknowledged, found } = await killUnderBatches(await open(), {
      form: byForm({ short: 'smoke', long: 'short' }),
      random: new Random(7),
      runId: 'killed',
      say: () => undefined,
      stores: [],
    })
    expect(faults).toEqual([])
    expect([acknowledged, found]).toEqual([tried, tried])
  },
  120_000,
)
