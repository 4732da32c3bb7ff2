import { describe, expect, it } from '@jest/globals'
import { hashOf, idOf, makeKey } from '../../../src/adapters/api-keys/api-key.js'
import { SingleKeyRing } from '../../../src/adapters/api-keys/key-rings.js'

describe('a key', () => {
  it('carries its id, and no two are the same', () => {
    const keys = Array.from({ length: 100 }, makeKey)
    for (const { key, id } of keys) expect(idOf(key)).toBe(id)
    expect(new Set(keys.map(({ key }) => key)).size).toBe(100)
    expect(new Set(keys.map(({ id }) => id)).size).toBe(100)
  })

  it('is told from a text in which any one character is another', () => {
    const { key } = makeKey()
    for (let at = 0; at < key.length; at += 1) {
      const other = key[at] === '0' ? '1' : '0'
      expect(idOf(key.slice(0, at) + other + key.slice(at + 1))).toBeUndefined()
    }
  })

  it.each(['', 'dossier_', makeKey().key.slice(0, -1), `${makeKey().key}0`, ` ${makeKey().key}`])(
    'is not %j',
    (text) => {
      expect(idOf(text)).toBeUndefined()
    },
  )

  it('is kept as its SHA-256', () => {
    expect(hashOf('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })
})

describe('API_KEY', () => {
  it('opens to itself alone, with every scope', () => {
    const ring = new SingleKeyRing('any form at all')
    expect(ring.holderOf('any form at all')).toEqual({
      id: 'API_KEY',
      name: 'API_KEY',
      scopes: ['read', 'write', 'segments', 'track', 'erase', 'webhooks'],
    })
    expect(ring.holderOf('any form at al')).toBeUndefined()
    expect(ring.holderOf('')).toBeUndefined()
  })
})
