import { expect, it } from '@jest/globals'
import {
  addDigest,
  bucketOf,
  digestOf,
  digestText,
} from '../../../../../src/adapters/sqlite/read-model/segments/hashes.js'

// The expected figures come from another implementation of SHA-256.
it.each([
  ['', 'ada', 4034],
  ['a', 'ada', 4804],
  ['', 'Ada', 5229],
  ['exp', '42', 8229],
  ['π', '顧客 7', 1203],
])('the share of salt %j that %s falls into is %d', (salt, externalId, expected) => {
  expect(bucketOf(salt, externalId)).toBe(expected)
})

it('a digest is the sum of the first 64 bits of each id, ignores case, and wraps around', () => {
  expect(digestText(digestOf('a'))).toBe('ca978112ca1bbdca')
  expect(digestOf('A')).toBe(digestOf('a'))
  expect(digestText(addDigest(2n ** 64n - 1n, 3n))).toBe('0000000000000002')
})
