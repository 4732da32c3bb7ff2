import { describe, expect, it } from '@jest/globals'
import { Roster } from '../../../src/adapters/http/roster.js'

describe('a roster', () => {
  it('knows who is here, and uses a place again', () => {
    const roster = new Roster<string>()
    const [a, b] = [roster.add('a'), roster.add('b')]
    roster.add('c')
    roster.remove(b)
    expect(roster.members()).toEqual(['a', 'c'])
    expect(roster.size).toBe(2)
    expect(roster.add('d')).toBe(b)
    roster.remove(a)
    expect(roster.members()).toEqual(['d', 'c'])
    expect(roster.size).toBe(2)
  })
})
