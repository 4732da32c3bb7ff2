import { describe, expect, test } from '@jest/globals'
import { toStored } from '../../../src/application/facts/fact-format.js'
import type { Fact } from '../../../src/application/facts/fact-table.js'
import {
  deliveredTypes,
  type RecordedProgress,
} from '../../../src/domain/webhooks/webhook-facts.js'
import { asGolden, goldenText } from '../../support/golden-facts.js'

const at = '2026-11-20T09:30:00.007Z'
const id = '01a1ff14-cee6-75ec-8b91-d7fb3bbfa719'
const other = '01a1ff14-cef4-759c-b22f-c801914d61ac'
const longest = '\ud83e\udd8a'.repeat(127)
const longestKey = '0'.padEnd(64, '_-az9')
const webhook = { webhook: 'mail-tool', at }
const required = {
  webhook: 'mail-tool',
  version: 1,
  origin: 'https://mail.example',
  url: 'c2VhbGVk',
  profile: false,
  secretVersion: 1,
  master: '0123456789abcdef',
  definedAt: at,
}
const progress: RecordedProgress = {
  webhook: 'mail-tool',
  start: id,
  position: '0',
  fact: '',
}

/** A released file stays; a new case gets a new one. */
const cases: Readonly<Record<string, readonly [stream: string, fact: Fact]>> = {
  'webhook-defined.v1.minimal': ['webhooks', { id, type: 'WebhookDefined', data: required }],
  'webhook-defined.v1.at-the-limits': [
    'webhooks',
    {
      id,
      type: 'WebhookDefined',
      data: {
        ...required,
        webhook: longestKey,
        title: longest,
        types: deliveredTypes,
        events: Array.from({ length: 100 }, () => longest),
        segments: Array.from({ length: 100 }, () => longestKey),
        entityId: other,
        profile: true,
        from: { position: '9007199254740991', fact: other },
      },
    },
  ],
  'webhook-removed.v1.minimal': [
    'webhooks',
    { id, type: 'WebhookRemoved', data: { ...webhook, version: 3 } },
  ],
  'webhook-paused.v1.minimal': [
    'webhooks',
    { id, type: 'WebhookPaused', data: { ...webhook, by: 'request', reason: 'requested' } },
  ],
  'webhook-resumed.v1.minimal': ['webhooks', { id, type: 'WebhookResumed', data: webhook }],
  'webhook-replayed.v1.minimal': [
    'webhooks',
    { id, type: 'WebhookReplayed', data: { ...webhook, from: { position: '0', fact: '' } } },
  ],
  'webhook-secret-rotated.v1.minimal': [
    'webhooks',
    { id, type: 'WebhookSecretRotated', data: { ...webhook, secretVersion: 2 } },
  ],
  'webhook-progress-recorded.v1.minimal': [
    'webhook-progress',
    {
      id,
      type: 'WebhookProgressRecorded',
      data: { sender: other, state: 'released', webhooks: [], at },
    },
  ],
  'webhook-progress-recorded.v1.every-member': [
    'webhook-progress',
    {
      id,
      type: 'WebhookProgressRecorded',
      data: {
        sender: other,
        state: 'sending',
        webhooks: [
          progress,
          {
            ...progress,
            position: '9007199254740991',
            fact: other,
            failing: { since: at, status: 503, error: 'status 503' },
            delivered: { at, status: 204 },
          },
        ],
        at,
      },
    },
  ],
}

describe('facts of webhooks are written exactly as released', () => {
  test.each(Object.entries(cases))('%s', (name, [stream, fact]) => {
    const stored = toStored(fact, { requestId: 'req-1', keyHash: undefined })
    expect(asGolden(stream, stored)).toBe(goldenText(name))
  })
})
