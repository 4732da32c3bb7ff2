import { it } from '@jest/globals'

/**
 * How thorough the tests are. The quick form, which is `npm test`, tries each promise once, at the level
 * where that costs least. The thorough form, which is `npm run test:thorough`, tries it on every store, with the
 * whole program too, and more often.
 */
export function byForm<T>(values: { readonly quick: T; readonly thorough: T }): T {
  const form = process.env['TEST_FORM'] ?? 'quick'
  if (form !== 'quick' && form !== 'thorough') {
    throw new Error(`TEST_FORM must be quick or thorough, not ${form}`)
  }
  return values[form]
}

/** A test of the thorough form alone: another one tries the same in the quick form, often with less around it. */
export const itThoroughly: typeof it.skip = inThoroughForm(it)

/** As `itThoroughly`, of a test that is skipped where something is missing, as `itWithStrace` is. */
export function inThoroughForm(one: typeof it.skip): typeof it.skip {
  return byForm({ quick: it.skip, thorough: one })
}
