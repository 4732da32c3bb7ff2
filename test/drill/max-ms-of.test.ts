import { expect, it } from '@jest/globals'
import { maxMsOf } from '../../drill/scenario.js'
import { ioErrorsScenario } from '../../drill/scenarios/io-errors.js'
import { killScenario } from '../../drill/scenarios/kill.js'

const minute = 60_000

it('gives the long form of a scenario the time that it takes, and every other one 20 minutes', () => {
  expect(maxMsOf(ioErrorsScenario, 'long')).toBe(60 * minute)
  expect(maxMsOf(ioErrorsScenario, 'short')).toBe(20 * minute)
  expect(maxMsOf(killScenario, 'long')).toBe(20 * minute)
})
