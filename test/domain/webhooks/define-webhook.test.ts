import { describe, expect, it } from '@jest/globals'
import {
  defineWebhook,
  maxWebhooks,
  pauseWebhook,
  removeWebhook,
  replayWebhook,
  resumeWebhook,
  rotateSecret,
  type ChangeDecision,
  type DefineWebhook,
} from '../../../src/domain/webhooks/define-webhook.js'
import { RecordedWebhooks } from '../../../src/domain/webhooks/webhooks.js'

const now = new Date('2026-11-20T09:30:00.000Z')
const day = 86_400_000
let ids = 0

function command(given: Partial<DefineWebhook> = {}): DefineWebhook {
  return {
    factId: `fact-${String((ids += 1))}`,
    key: 'mail',
    title: undefined,
    origin: 'https://mail.example',
    sealedUrl: 'sealed',
    hasSameUrl: ({ sealedUrl }) => sealedUrl === (given.sealedUrl ?? 'sealed'),
    filter: {},
    profile: false,
    master: 'a'.repeat(16),
    from: { position: '7', fact: 'seven' },
    hasFrom: false,
    precondition: {},
    now,
    ...given,
  }
}

const change = (key = 'mail') => ({ factId: `fact-${String((ids += 1))}`, key, now })

function define(webhooks: RecordedWebhooks, given: Partial<DefineWebhook> = {}) {
  const decision = defineWebhook(webhooks, command(given))
  if (decision.outcome === 'defined') webhooks.add(decision.fact)
  return decision
}

function apply(webhooks: RecordedWebhooks, decision: ChangeDecision) {
  if (decision.outcome === 'changed') for (const fact of decision.fact) webhooks.add(fact)
  return decision
}

describe('defining a webhook', () => {
  it('makes version 1 with a secret, and delivers from the given place', () => {
    const webhooks = new RecordedWebhooks()
    expect(define(webhooks)).toMatchObject({ isNew: true, hasNewSecret: true })
    expect(webhooks.live.get('mail')).toMatchObject({
      version: 1,
      secretVersion: 1,
      start: { position: '7', fact: 'seven' },
      paused: undefined,
    })
  })

  it('stores nothing when the definition is equal, in any order of its names', () => {
    const webhooks = new RecordedWebhooks()
    define(webhooks, { filter: { events: ['a', 'b'] } })
    expect(define(webhooks, { filter: { events: ['b', 'a'] } }).outcome).toBe('same')
  })

  it('keeps the secret, the place and the pause when the definition changes', () => {
    const webhooks = new RecordedWebhooks()
    define(webhooks)
    apply(webhooks, pauseWebhook(webhooks, { ...change(), by: 'request', reason: 'requested' }))
    const before = webhooks.live.get('mail')
    const decision = define(webhooks, { sealedUrl: 'other', from: { position: '99', fact: '' } })
    expect(decision).toMatchObject({ isNew: false, hasNewSecret: false })
    expect(webhooks.live.get('mail')).toMatchObject({
      version: 2,
      secretVersion: 1,
      start: before?.start,
      paused: before?.paused,
    })
  })

  it('makes a new secret when the process has another master key', () => {
    const webhooks = new RecordedWebhooks()
    define(webhooks)
    expect(define(webhooks, { master: 'b'.repeat(16) })).toMatchObject({ hasNewSecret: true })
    expect(webhooks.live.get('mail')).toMatchObject({ secretVersion: 2 })
  })

  it('refuses a place for a webhook that exists', () => {
    const webhooks = new RecordedWebhooks()
    define(webhooks, { hasFrom: true })
    const decision = define(webhooks, { hasFrom: true, title: 'x' })
    expect(decision).toEqual({ outcome: 'refused', reason: 'webhook_exists' })
  })

  it('refuses another version than the caller expects', () => {
    const webhooks = new RecordedWebhooks()
    define(webhooks)
    const decision = define(webhooks, { precondition: { noneMatch: 'any' } })
    expect(decision).toEqual({ outcome: 'refused', reason: 'precondition_failed' })
  })

  it('refuses the webhook after the last one, and still changes the others', () => {
    const webhooks = new RecordedWebhooks()
    for (let at = 0; at < maxWebhooks; at += 1) define(webhooks, { key: `k${String(at)}` })
    const decision = define(webhooks, { key: 'one-more' })
    expect(decision).toEqual({ outcome: 'refused', reason: 'too_many_webhooks' })
    expect(define(webhooks, { key: 'k0', title: 'x' }).outcome).toBe('defined')
  })

  it('after a removal makes a new secret, and knows nothing of the earlier webhook', () => {
    const webhooks = new RecordedWebhooks()
    define(webhooks)
    apply(webhooks, rotateSecret(webhooks, change()))
    apply(webhooks, pauseWebhook(webhooks, { ...change(), by: 'request', reason: 'requested' }))
    const first = webhooks.live.get('mail')
    apply(webhooks, removeWebhook(webhooks, { ...change(), precondition: {} }))
    expect(webhooks.live.size).toBe(0)
    define(webhooks)
    const again = webhooks.live.get('mail')
    expect(again).toMatchObject({ version: 2, secretVersion: 3, paused: undefined })
    expect(again?.formerSecret).toBeUndefined()
    expect(again?.start.setBy).not.toBe(first?.start.setBy)
  })
})

describe('a change of a webhook', () => {
  it.each([
    ['pause', pauseWebhook, { by: 'request', reason: 'requested' }],
    ['rotation', rotateSecret, {}],
  ] as const)('is refused when there is no webhook: %s', (_name, decide, given) => {
    const decision = decide(new RecordedWebhooks(), {
      ...change(),
      by: 'request',
      reason: 'requested',
      ...given,
    })
    expect(decision).toEqual({ outcome: 'refused', reason: 'webhook_not_found' })
  })

  it('pauses once, and resumes from another place', () => {
    const webhooks = new RecordedWebhooks()
    define(webhooks)
    const pause = { by: 'receiver', reason: 'gone' } as const
    apply(webhooks, pauseWebhook(webhooks, { ...change(), ...pause }))
    expect(webhooks.live.get('mail')?.paused).toEqual({ ...pause, at: now.toISOString() })
    const again = pauseWebhook(webhooks, { ...change(), by: 'request', reason: 'requested' })
    expect(again).toMatchObject({ fact: [] })
    const from = { position: '3', fact: 'three' }
    apply(webhooks, resumeWebhook(webhooks, { ...change(), replayId: 'moved', from }))
    expect(webhooks.live.get('mail')).toMatchObject({
      paused: undefined,
      start: { ...from, setBy: 'moved' },
    })
    const nothing = { ...change(), replayId: 'x', from: undefined }
    expect(resumeWebhook(webhooks, nothing)).toMatchObject({ fact: [] })
  })

  it('moves the place of a paused webhook, which stays paused', () => {
    const webhooks = new RecordedWebhooks()
    define(webhooks)
    apply(webhooks, pauseWebhook(webhooks, { ...change(), by: 'request', reason: 'requested' }))
    const from = { position: '0', fact: '' }
    apply(webhooks, replayWebhook(webhooks, { ...change(), from }))
    const { paused, start } = webhooks.live.get('mail') ?? {}
    expect([paused?.reason, start]).toEqual([
      'requested',
      { ...from, setBy: expect.stringMatching('fact') },
    ])
  })

  it('lets the former secret sign for a day after a rotation', () => {
    const webhooks = new RecordedWebhooks()
    define(webhooks)
    apply(webhooks, rotateSecret(webhooks, change()))
    expect(webhooks.live.get('mail')).toMatchObject({
      secretVersion: 2,
      formerSecret: { version: 1, until: now.getTime() + day },
    })
  })
})
