import { describe, expect, test } from '@jest/globals'
import { keyIn } from '../../../src/application/facts/metadata-text.js'
import { keyHash } from '../../support/stored-facts.js'

describe('the key in the metadata of a fact', () => {
  const key = keyHash('k')

  test.each([
    ['as the service writes it', `{"schemaVersion":1,"idempotencyKey":"${key}"}`],
    ['with escapes in its name', `{"idempotency\\u004bey":"${key}"}`],
  ])('is found %s', (_how, metadata) => {
    expect(keyIn(metadata)).toBe(key)
  })

  test.each([
    ['there is no key', '{"schemaVersion":1}'],
    ['the key is not a hash', '{"idempotencyKey":"k"}'],
    ['the name of the member is in another place', '{"$correlationId":"idempotencyKey"}'],
    ['the metadata is not JSON', `{"idempotencyKey":"${key}"`],
  ])('is undefined when %s', (_why, metadata) => {
    expect(keyIn(metadata)).toBeUndefined()
  })
})
