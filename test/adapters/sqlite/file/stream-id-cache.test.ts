import { describe, expect, it } from '@jest/globals'
import { StreamIdCache } from '../../../../src/adapters/sqlite/file/stream-id-cache.js'

describe('the cache of stream ids', () => {
  it('keeps used streams and evicts unused streams', () => {
    const streams = new StreamIdCache(2)
    streams.add('a', 1)
    streams.add('b', 2)
    streams.add('c', 3)
    expect(streams.idOf('a')).toBe(1)
    streams.add('d', 4)
    expect(['a', 'b', 'c', 'd'].map((name) => streams.idOf(name))).toEqual([1, undefined, 3, 4])
  })

  it('is empty after `forgetAll`', () => {
    const streams = new StreamIdCache(1)
    streams.add('a', 1)
    streams.add('b', 2)
    streams.forgetAll()
    expect(['a', 'b'].map((name) => streams.idOf(name))).toEqual([undefined, undefined])
  })
})
