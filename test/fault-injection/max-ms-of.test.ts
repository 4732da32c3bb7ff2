import { expect, it } from '@jest/globals'
import { maxMsOf } from '../../fault-injection/scenario.js'
import { ioErrorsScenario } from '../../fault-injection/scenarios/io-errors.js'
import { killScenario } from '../../fault-injection/scenarios/kill.js'

const minute = 60_000

it('gives the thorough form of a scenario the time that it takes, and every other one 20 minutes', () => {
  expect(maxMsOf(ioErrorsScenario, 'thorough')).toBe(60 * minute)
  expect(maxMsOf(ioErrorsScenario, 'quick')).toBe(20 * minute)
  expect(maxMsOf(killScenario, 'thorough')).toBe(20 * minute)
})
