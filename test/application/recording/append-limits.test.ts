import { describe, expect, test } from '@jest/globals'
import { assertAppendable } from '../../../src/application/recording/append-limits.js'
import type { StoredFact } from '../../../src/application/facts/stored-fact.js'
import type { Append } from '../../../src/application/recording/ports/event-store.js'
import { Refusal } from '../../../src/application/ports/refusal.js'

const fact = (data: string, metadata = '{}'): StoredFact => ({ id: 'x', type: 'X', data, metadata })
const append: Append = { stream: 'entity-ada', expected: 'new', facts: [fact('{}')] }
const hash = '0123456789abcdef'.repeat(4)
const keyed = (key: string) => fact('{}', JSON.stringify({ idempotencyKey: key }))
const letters = (count: number) => 'x'.repeat(count)

describe('an append is accepted', () => {
  test.each<[string, Append]>([
    ['in its usual form', append],
    ['with a key', { ...append, key: hash, facts: [keyed(hash)] }],
    ['with 1 MiB of type, data and metadata', { ...append, facts: [fact(letters(1_048_572))] }],
    ['with 64 KiB of metadata', { ...append, facts: [fact('{}', letters(65_536))] }],
    [
      'with 64 KiB of metadata, and 1 MiB in all',
      { ...append, facts: [fact(letters(983_038), letters(65_536))] },
    ],
    [
      'with an equal size in two facts',
      { ...append, facts: [fact(letters(1_048_567)), fact('x')] },
    ],
  ])('%s', (_what, one) => {
    expect(() => {
      assertAppendable(one)
    }).not.toThrow()
  })
})

describe('an append is too large', () => {
  const size = 'an append holds at most 1048576 bytes of types, data and metadata'
  const metadata = 'an append holds at most 65536 bytes of metadata'
  test.each<[string, readonly StoredFact[], string]>([
    ['by a byte of data', [fact(letters(1_048_573))], size],
    [
      'by a byte of metadata that its data leaves no room for',
      [fact(letters(1_048_572), '{} ')],
      size,
    ],
    [
      'by a character of its type, which counts twice',
      [{ ...fact(letters(1_048_571)), type: 'XY' }],
      size,
    ],
    ['by data of two facts', [fact(letters(1_048_568)), fact('x')], size],
    ['by bytes, not characters', [fact('ä'.repeat(524_287))], size],
    ['by a byte of metadata', [fact('{}', letters(65_537))], metadata],
    ['by metadata of two facts', [fact('{}', letters(65_536)), fact('{}', 'x')], metadata],
    ['by bytes of metadata, not characters', [fact('{}', 'ä'.repeat(32_769))], metadata],
  ])('%s', (_what, facts, message) => {
    expect(() => {
      assertAppendable({ ...append, facts })
    }).toThrow(new Refusal('append_too_large', message))
  })
})

describe('an append that is a bug of the caller throws a TypeError', () => {
  const stream = 'a stream name is non-empty well-formed text without NUL'
  const carried = "the metadata of each fact must carry exactly the append's key"
  const key = 'a key is a SHA-256 in 64 lower-case hex digits'
  test.each<[string, Append, string]>([
    ['without facts', { ...append, facts: [] }, 'an append needs at least one fact'],
    [
      'for a first fact, with a key',
      { ...append, expected: 'first', key: hash, facts: [keyed(hash)] },
      'an append that expects `first` takes no key',
    ],
    ['without a stream', { ...append, stream: '' }, stream],
    ['with NUL in the stream', { ...append, stream: 'a\0b' }, stream],
    ['with a lone surrogate in the stream', { ...append, stream: 'a\ud800' }, stream],
    ['with a key that is missing in its fact', { ...append, key: hash }, carried],
    [
      'with a fact of another key',
      { ...append, key: hash, facts: [keyed('ab'.repeat(32))] },
      carried,
    ],
    ['without a key, with a fact of a key', { ...append, facts: [keyed(hash)] }, carried],
    [
      'with NUL in a fact',
      { ...append, facts: [fact('"\0"')] },
      'the texts of a fact must not contain NUL',
    ],
    ['with an empty key', { ...append, key: '' }, key],
    ['with a short key', { ...append, key: 'a'.repeat(63) }, key],
    ['with a long key', { ...append, key: 'a'.repeat(65) }, key],
    ['with a key in capitals', { ...append, key: 'A'.repeat(64) }, key],
    ['with a key and a line break', { ...append, key: `${'a'.repeat(64)}\n` }, key],
  ])('%s', (_what, one, message) => {
    expect(() => {
      assertAppendable(one)
    }).toThrow(new TypeError(message))
  })
})
