import { describe, expect, it } from '@jest/globals'
import type { Webhook } from '../../src/client/dossier.js'
import { lagWords } from '../../src/console/webhooks/lag-words.js'
import {
  definitionOf,
  draftOf,
  emptyDraft,
  isComplete,
} from '../../src/console/webhooks/form/draft.js'

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

describe('the definition of a changed webhook', () => {
  const webhook = {
    ...{ key: 'mail', version: 3, title: null, origin: 'https://mail.example', profile: true },
    ...{ types: null, events: null, segments: null, entity_id: null },
    ...{ state: 'active', paused: null, failing: null, behind: null },
    ...{ delivered_to: { position: '1', cursor: '1.00000000' }, defined_at: '', request_id: '' },
  } as unknown as Webhook

  it('has everything that the webhook had, the URL that was typed again, and no place', () => {
    const segments = ['win-back']
    const types = ['EntityLeftSegment']
    const draft = draftOf({ ...webhook, title: 'Mail', segments, types }, 'ada')
    expect(draft).toMatchObject({ key: 'mail', version: 3, url: '', by: 'segments' })
    expect(isComplete(draft)).toBe(false)
    expect(definitionOf({ ...draft, url })).toEqual({
      ...{ url, title: 'Mail', types, segments, entity: 'ada', profile: true },
    })
  })

  it('keeps the names of events, and the absence of filters', () => {
    const events = ['buy']
    const changed = (draft: Webhook) => definitionOf({ ...draftOf(draft, ''), url })
    expect(changed({ ...webhook, events })).toEqual({ url, events, profile: true })
    expect(changed(webhook)).toEqual({ url, profile: true })
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
