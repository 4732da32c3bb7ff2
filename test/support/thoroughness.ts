import { it } from '@jest/globals'

/**
 * Returns the value for the current kind of run. Quick tests (`npm test`) try each promise once, at the cheapest
 * level. Thorough tests (`npm run test:thorough`) try it on every store, with the started program, and more often.
 */
export function quickOrThorough<T>(values: { readonly quick: T; readonly thorough: T }): T {
  const tests = process.env['TESTS'] ?? 'quick'
  if (tests !== 'quick' && tests !== 'thorough') {
    throw new Error(`TESTS must be quick or thorough, not ${tests}`)
  }
  return values[tests]
}

/** A thorough test. A quick test already covers the same promise at a lower cost. */
export const itThoroughly: typeof it.skip = thoroughly(it)

/** Turns a conditional test, such as `itWithStrace`, into a thorough test. */
export function thoroughly(one: typeof it.skip): typeof it.skip {
  return quickOrThorough({ quick: it.skip, thorough: one })
}
