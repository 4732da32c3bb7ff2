import { expect } from '@jest/globals'
import { Random } from '../../fault-injection/random.js'
import { ioFaults } from '../../fault-injection/io-faults.js'
import { tryIoFaults } from '../../fault-injection/scenarios/io-errors.js'
import { quickOrThorough } from '../support/thoroughness.js'
import { itWithStrace } from '../support/strace.js'

const inSmoke = ioFaults.filter(({ smoke }) => smoke)
const tried = quickOrThorough({
  quick: inSmoke.filter(({ moment }) => moment === 'under load'),
  thorough: inSmoke,
})

itWithStrace(
  'the service keeps acknowledged facts, once each, when disk calls fail',
  async () => {
    const rows = await tryIoFaults(tried, {
      form: 'smoke',
      random: new Random(1),
      runId: 'io',
      say: () => undefined,
      stores: [],
    })
    const faults = rows.flatMap(({ scenario, faults: found }) =>
      found.map((fault) => `${scenario}: ${fault}`),
    )
    expect(faults).toEqual([])
    expect(rows).toHaveLength(tried.length)
    for (const { acknowledged } of rows) expect(acknowledged).toBeGreaterThan(0)
  },
  120_000,
)
