import { expect, it } from '@jest/globals'
import { fuzz } from '../../fault-injection/fuzz.js'
import { quickOrThorough } from '../support/thoroughness.js'

const stores = quickOrThorough<readonly ('sqlite' | 'memory')[]>({
  quick: ['sqlite'],
  thorough: ['sqlite', 'memory'],
})

it.each(stores)(
  'generated requests get the replies that the contract requires: %s',
  async (store) => {
    const requests = quickOrThorough({ quick: 250, thorough: store === 'sqlite' ? 3_000 : 500 })
    const report = await fuzz({ seed: 20261121, requests, store })
    expect(report.problems).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(report.requests / 50)
    if (store === 'sqlite') expect(report.stored).toBeGreaterThanOrEqual(report.acknowledged)
  },
  120_000,
)
