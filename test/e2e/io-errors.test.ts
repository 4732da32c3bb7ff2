import { expect } from '@jest/globals'
import { Random } from '../../drill/random.js'
import { ioErrorsScenario } from '../../drill/scenarios/io-errors.js'
import { itWithStrace } from '../support/strace.js'

itWithStrace(
  'keeps what it acknowledged, once, when calls to the disk fail',
  async () => {
    const rows = await ioErrorsScenario.run({
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
    for (const { acknowledged } of rows) expect(acknowledged).toBeGreaterThan(0)
  },
  120_000,
)
