import { describe, expect, it } from '@jest/globals'
import { lagWords } from '../../src/console/webhooks/lag-words.js'
import { definitionOf, emptyDraft, isComplete } from '../../src/console/webhooks/new/draft.js'

const url = 'https://mail.example/hook'

describe('the definition of a new webhook', () => {
  it('has no filter while nothing is chosen', () => {
    expect(definitionOf({ ...emptyDraft(null), url })).toEqual({ url, from: 'now' })
  })

  it('tells who enters and leaves the segment that it was opened from', () => {
    expect(definitionOf({ ...emptyDraft('win-back'), url })).toEqual({
      ...{ url, segments: ['win-back'], from: 'now' },
      types: ['EntityEnteredSegment', 'EntityLeftSegment'],
    })
  })

  it('sends the names of the chosen kind only, and no types beside names of events', () => {
    const draft = { ...emptyDraft('win-back'), url, by: 'events', events: ['buy'] } as const
    expect(definitionOf(draft)).toEqual({ url, events: ['buy'], from: 'now' })
  })

  it.each([
    ['all', [], true],
    ['events', [], false],
    ['events', ['buy'], true],
  ] as const)('by %s with the names %j can be sent: %s', (by, events, expected) => {
    expect(isComplete({ ...emptyDraft(null), key: 'mail', url, by, events })).toBe(expected)
  })

  it('begins after the typed cursor', () => {
    const draft = { ...emptyDraft(null), url, from: 'cursor', cursor: '1024.01a1ff14' } as const
    expect(definitionOf(draft).from).toBe('1024.01a1ff14')
  })
})

describe('the lag of a webhook', () => {
  it.each([
    [null, 'not known'],
    [{ facts: 0, more: false, seconds: 0 }, 'up to date'],
    [{ facts: 1, more: false, seconds: 0 }, '1 fact'],
    [{ facts: 12, more: false, seconds: 180 }, '12 facts, for 3 minutes'],
    [{ facts: 10_000, more: true, seconds: 7_200 }, 'over 10\u202f000 facts, for 2 hours'],
  ])('%j is shown as %s', (behind, words) => {
    expect(lagWords(behind)).toBe(words)
  })
})
