import { describe, expect, it } from '@jest/globals'
import { Roster } from '../../../../src/adapters/http/connection/roster.js'

describe('a roster', () => {
  it('knows who is here, and uses a place again', () => {
    const roster = new Roster<string>()
    const [a, b] = [roster.add('a'), roster.add('b')]
    roster.add('c')
    expect(roster.remove(b, 'b')).toBe(true)
    expect(roster.members()).toEqual(['a', 'c'])
    expect(roster.size).toBe(2)
    expect(roster.add('d')).toBe(b)
    roster.remove(a, 'a')
    expect(roster.members()).toEqual(['d', 'c'])
    expect(roster.size).toBe(2)
  })

  it('removes nobody twice, and nobody who took the place since', () => {
    const roster = new Roster<string>()
    const place = roster.add('a')
    roster.removeEach((member) => member === 'a')
    expect(roster.remove(place, 'a')).toBe(false)
    roster.add('b')
    expect(roster.remove(place, 'a')).toBe(false)
    expect(roster.members()).toEqual(['b'])
    expect(roster.size).toBe(1)
  })
})
