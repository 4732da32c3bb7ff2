import { it } from '@jest/globals'

/**
 * How thorough the tests are. The short form, which is `npm test`, tries all that the long form tries,
 * fewer times. The long form is `npm run test:long`.
 */
export function byForm<T>(values: { readonly short: T; readonly long: T }): T {
  const form = process.env['TEST_FORM'] ?? 'short'
  if (form !== 'short' && form !== 'long') {
    throw new Error(`TEST_FORM must be short or long, not ${form}`)
  }
  return values[form]
}

/** A test of the long form alone: another one tries the same in the short form. */
export const itInLongForm: typeof it.skip = byForm({ short: it.skip, long: it })
