import { describe, expect, it } from '@jest/globals'
import { StreamIdCache } from '../../../../src/adapters/sqlite/file/stream-names.js'

describe('recent streams', () => {
  it('keeps what was asked for and forgets what was not', () => {
    const streams = new StreamIdCache(2)
    streams.add('a', 1)
    streams.add('b', 2)
    streams.add('c', 3)
    expect(streams.idOf('a')).toBe(1)
    streams.add('d', 4)
    expect(['a', 'b', 'c', 'd'].map((name) => streams.idOf(name))).toEqual([1, undefined, 3, 4])
  })

  it('forgets everything when told to', () => {
    const streams = new StreamIdCache(1)
    streams.add('a', 1)
    streams.add('b', 2)
    streams.forgetAll()
    expect(['a', 'b'].map((name) => streams.idOf(name))).toEqual([undefined, undefined])
  })
})
