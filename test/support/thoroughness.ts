import { it } from '@jest/globals'

/**
 * How thorough the tests are. Quick tests, `npm test`, try each promise once, at the level where that costs
 * least. Thorough tests, `npm run test:thorough`, try it on every store, with the whole program too, and
 * more often.
 */
export function quickOrThorough<T>(values: { readonly quick: T; readonly thorough: T }): T {
  const tests = process.env['TESTS'] ?? 'quick'
  if (tests !== 'quick' && tests !== 'thorough') {
    throw new Error(`TESTS must be quick or thorough, not ${tests}`)
  }
  return values[tests]
}

/** A thorough test: a quick one tries the same, often with less around it. */
export const itThoroughly: typeof it.skip = thoroughly(it)

/** As `itThoroughly`, of a test that is skipped where something is missing, as `itWithStrace` is. */
export function thoroughly(one: typeof it.skip): typeof it.skip {
  return quickOrThorough({ quick: it.skip, thorough: one })
}
