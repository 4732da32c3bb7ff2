import { describe, expect, it } from '@jest/globals'
import {
  flatten,
  joined,
  unflatten,
} from '../../../../../src/adapters/sqlite/event-store/append/flat-appends.js'
import { addition, creation, keyed, storedFact } from '../../../../support/stored-facts.js'

describe('the text of several appends', () => {
  it('restores the appends, whatever their texts are', () => {
    const empty = { id: '', type: '', data: '', metadata: '' }
    const appends = [
      creation('entity-a'),
      { ...addition('new', storedFact({ text: '1\n2' })), facts: [empty, storedFact({ n: 2 })] },
      keyed(addition('existing'), 'k'),
      { ...keyed(addition('stored'), 'k'), expected: 'stored' as const },
      { ...addition('first'), expected: 'first' as const },
    ]
    const list: string[] = []
    for (const append of appends) flatten(append, list)
    expect(unflatten(joined(list))).toEqual(appends)
    expect(unflatten(joined([]))).toEqual([])
  })

  it('is refused when its end is missing', () => {
    const list: string[] = []
    flatten(creation('entity-a'), list)
    expect(() => unflatten(joined(list.slice(0, -1)))).toThrow(RangeError)
  })
})
