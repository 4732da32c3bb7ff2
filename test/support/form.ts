import { it } from '@jest/globals'

/**
 * How thorough the tests are. The short form, which is `npm test`, tries each promise once, at the level
 * where that costs least. The long form, which is `npm run test:long`, tries it on every store, with the
 * whole program too, and more often.
 */
export function byForm<T>(values: { readonly short: T; readonly long: T }): T {
  const form = process.env['TEST_FORM'] ?? 'short'
  if (form !== 'short' && form !== 'long') {
    throw new Error(`TEST_FORM must be short or long, not ${form}`)
  }
  return values[form]
}

/** A test of the long form alone: another one tries the same in the short form, often with less around it. */
export const itInLongForm: typeof it.skip = inLongForm(it)

/** As `itInLongForm`, of a test that is skipped where something is missing, as `itWithStrace` is. */
export function inLongForm(one: typeof it.skip): typeof it.skip {
  return byForm({ short: it.skip, long: one })
}
