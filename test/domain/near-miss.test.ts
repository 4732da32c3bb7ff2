import { describe, expect, it } from '@jest/globals'
import { editsBetween, nearMissOf } from '../../src/domain/near-miss.js'

describe('the edits between two words', () => {
  it.each([
    ['PORT', 'PORT', 0],
    ['PROT', 'PORT', 1],
    ['PRT', 'PORT', 1],
    ['POORT', 'PORT', 1],
    ['PART', 'PORT', 1],
    ['STORE_ULR', 'STORE_URL', 1],
    ['', 'PORT', 4],
    ['kitten', 'sitting', 3],
  ])('from %s to %s are counted', (from, to, edits) => {
    expect(editsBetween(from, to)).toBe(edits)
    expect(editsBetween(to, from)).toBe(edits)
  })
})

describe('the near miss of a command', () => {
  const commands = ['start', 'keys', 'import', 'copy', 'audit', 'vacuum', 'demo']

  it.each([
    ['strat', 'start'],
    ['imports', 'import'],
    ['key', 'keys'],
    ['vac', 'vacuum'],
    ['serve', undefined],
    ['s', undefined],
  ])('%s is %s', (word, command) => {
    expect(nearMissOf(word, commands)).toBe(command)
  })
})
