import { afterEach, beforeEach, describe, expect } from '@jest/globals'
import { createKey } from '../../src/adapters/api-keys/manage-keys.js'
import { hangMs, itInChromium } from '../support/client/chromium.js'
import { expectValue } from '../support/console/expect-value.js'
import {
  openedConsoles,
  refusedReply,
  type OpenedConsole,
} from '../support/console/opened-console.js'
import { nextLook } from '../support/next-look.js'
import { WebhookReceiver } from '../support/webhooks/receiver.js'

const open = openedConsoles(refusedReply)
const env = { WEBHOOK_INSECURE: 'on', WEBHOOK_PRIVATE: 'on' }
let receiver: WebhookReceiver

beforeEach(async () => {
  receiver = await WebhookReceiver.start()
})
afterEach(async () => {
  await receiver.close()
})

async function openShop(more: Readonly<Record<string, string>> = {}): Promise<OpenedConsole> {
  const opened = await open({ ...env, ...more })
  const { client } = opened
  await client.entities.create('ada')
  await client.entities.record('ada', { name: 'visit' })
  await client.segments.define('buyers', {
    ...{ title: 'Buyers', kind: 'rule', rule: { event: 'purchase' } },
  })
  return opened
}

const secretOf = (at: OpenedConsole) => at.page.getByLabel('Secret', { exact: true })
const button = (at: OpenedConsole, name: string) =>
  at.page.getByRole('button', { name, exact: true })

/** Everything that the tab has stored, and its address. */
async function keptByTab({ page }: OpenedConsole): Promise<string> {
  return String(
    await page.evaluate(
      'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie, location.href])',
    ),
  )
}

/** Presses a button, and returns the text that the page puts into the clipboard. */
async function copiedBy(at: OpenedConsole, name: string): Promise<string> {
  await at.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await button(at, name).click()
  await at.page.getByText('Copied.').waitFor()
  return String(await at.page.evaluate('navigator.clipboard.readText()'))
}

describe('webhooks in the console', () => {
  itInChromium(
    'are made, tested, seen to deliver, paused, resumed, and removed',
    async () => {
      const at = await openShop()
      const { page } = at
      await at.enter('#/webhooks')
      await page.getByText('No webhook yet').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('webhooks-empty')
      await button(at, 'New webhook').click()
      await page.getByLabel('Title').fill('Mail <b>tool</b>')
      await expectValue(page.getByRole('textbox', { name: 'Key' }), 'mail-b-tool-b')
      await page.getByRole('textbox', { name: 'Key' }).fill('mail')
      await page.getByLabel('URL').fill('ftp://nowhere')
      await page.getByRole('combobox', { name: 'Send' }).selectOption('events')
      await page.getByLabel('Names of events').fill('purchse')
      await button(at, 'Add').click()
      await at.unlock()
      await button(at, 'Create the webhook').click()
      await page.getByText('Nothing was stored. The fields say why.').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('webhook-new')
      await page.getByLabel('URL').fill(receiver.url)
      await button(at, 'Create the webhook').click()
      await page.getByText('is called "purchse"').waitFor()
      const secret = await secretOf(at).innerText()
      expect(secret).toMatch(/^whsec_/)
      expect(await copiedBy(at, 'Copy the secret')).toBe(secret)
      receiver.secret = secret
      await button(at, 'Send a test').click()
      await page.getByText(/^the receiver replied 204 after/).waitFor()
      expect(receiver.received.map(({ type }) => type)).toEqual(['webhook.test'])
      expect(receiver.forged).toEqual([])
      expect(await at.axe()).toEqual([])
      await at.take('webhook-secret')
      expect(await keptByTab(at)).not.toMatch(/whsec_|s3cret-token/)

      await page.getByRole('link', { name: 'Go to the webhook' }).click()
      await page.getByText('No attempt yet').waitFor()
      expect(await secretOf(at).count()).toBe(0)
      await at.client.entities.record('ada', { name: 'purchse' })
      const attempts = page.getByRole('cell', { name: '204' })
      await attempts.waitFor()
      expect(receiver.received.map(({ data }) => data['name'])).toEqual([undefined, 'purchse'])
      await page.getByText('up to date', { exact: true }).waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('webhook')

      await button(at, 'Pause').click()
      await page.getByText('Somebody paused it.').waitFor()
      await at.client.entities.record('ada', { name: 'purchse' })
      await page.getByText(/^1 fact, /).waitFor()
      await at.take('webhook-paused')
      await at.go('#/')
      await page.getByText('1 webhook paused').click()
      await page.getByRole('link', { name: 'Mail <b>tool</b>' }).waitFor()
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await at.axe()).toEqual([])
      await at.take('webhooks')
      await page.getByRole('link', { name: 'Mail <b>tool</b>' }).click()
      await button(at, 'Resume …').click()
      expect(await at.axe()).toEqual([])
      await at.take('webhook-resume')
      await button(at, 'Resume').click()
      await attempts.nth(1).waitFor()
      expect(await at.client.webhooks.get('mail')).toMatchObject({ state: 'active' })

      await button(at, 'More').click()
      await page.getByRole('menuitem', { name: 'Change this webhook …' }).click()
      await page.getByLabel('Title').fill('Mail')
      // The service does not show the URL, so it is typed again.
      expect(await button(at, 'Save').isDisabled()).toBe(true)
      await page.getByLabel('URL').fill(receiver.url)
      await page.getByRole('button', { name: 'Remove purchse' }).click()
      await page.getByLabel('Names of events').fill('visit')
      await button(at, 'Add').click()
      expect(await at.axe()).toEqual([])
      await at.take('webhook-change')
      await button(at, 'Save').click()
      await page.getByText('The webhook is changed.').waitFor()
      expect(await secretOf(at).count()).toBe(0)
      await at.take('webhook-changed')
      expect(await at.client.webhooks.get('mail')).toMatchObject({
        ...{ title: 'Mail', version: 2, events: ['visit'], state: 'active' },
      })
      await page.getByRole('link', { name: 'Go to the webhook' }).click()
      await page.getByText('version 2').waitFor()

      await button(at, 'More').click()
      await page.getByRole('menuitem', { name: 'Remove this webhook …' }).click()
      await button(at, 'Remove mail').click()
      await page.getByText('No webhook yet').waitFor()
    },
    hangMs,
  )

  itInChromium(
    'of a segment are listed there, are replayed from a cursor, and get a new secret behind a question',
    async () => {
      const at = await openShop()
      const { page } = at
      await at.client.webhooks.define('other', { url: receiver.url, events: ['visit'] })
      await at.enter('#/segments/buyers')
      await at.unlock()
      await page
        .getByRole('navigation', { name: 'Views of the segment' })
        .getByRole('link', { name: 'Webhooks' })
        .click()
      await page.getByText('No webhook names this segment').waitFor()
      await page.getByRole('link', { name: 'New webhook for this segment' }).click()
      expect(await page.getByLabel('entered a segment').isChecked()).toBe(true)
      await page.getByRole('textbox', { name: 'Key' }).fill('other')
      await page.getByText('is the key of another webhook').waitFor()
      await page.getByRole('textbox', { name: 'Key' }).fill('entries')
      await page.getByLabel('URL').fill(receiver.url)
      await at.take('webhook-new-segment')
      await button(at, 'Create the webhook').click()
      const first = await secretOf(at).innerText()
      expect(await at.client.webhooks.get('entries')).toMatchObject({
        ...{ segments: ['buyers'], types: ['EntityEnteredSegment', 'EntityLeftSegment'] },
      })
      await at.go('#/segments/buyers/webhooks')
      await page.getByRole('link', { name: 'entries' }).waitFor()
      expect(await page.getByRole('link', { name: 'other' }).count()).toBe(0)
      expect(await at.axe()).toEqual([])
      await at.take('segment-webhooks')
      await page.getByRole('link', { name: 'entries' }).click()
      await at.client.entities.record('ada', { name: 'purchase' })
      await receiver.when(() => receiver.received.length === 1)

      await button(at, 'More').click()
      await page.getByRole('menuitem', { name: 'Replay from a cursor …' }).click()
      await page.getByRole('textbox', { name: 'Cursor' }).fill('99999.01a1ff14')
      await button(at, 'Replay').click()
      await page.getByText('There is no fact at this cursor.').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('webhook-replay')
      await page.getByLabel('Go on at').selectOption('start')
      await button(at, 'Replay').click()
      await receiver.when(() => receiver.received.length === 2)
      expect(receiver.received[1]?.messageId).toBe(receiver.received[0]?.messageId)

      await button(at, 'More').click()
      await page.getByRole('menuitem', { name: 'Make a new secret …' }).click()
      await button(at, 'Make a new secret').click()
      const second = await secretOf(at).innerText()
      expect([second.slice(0, 6), second === first]).toEqual(['whsec_', false])
      expect(await at.axe()).toEqual([])
      await at.take('webhook-rotate')
      await button(at, 'Close').click()
      receiver.status = 500
      await at.client.entities.create('eve')
      await at.client.entities.record('eve', { name: 'purchase' })
      await page.getByText('The receiver has failed since').waitFor()
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await at.axe()).toEqual([])
      await at.take('webhook-failing')
    },
    hangMs,
  )

  itInChromium(
    'are hidden from a key without their scope, and say when the process sends none',
    async () => {
      const at = await openShop({ WEBHOOKS: 'off' })
      const { page, service } = at
      const { key } = createKey(`${service.folder}/data/api-keys.json`, 'reader', ['read'])
      const headers = { authorization: `Bearer ${key}` }
      while ((await fetch(`${service.origin}/key`, { headers })).status === 401) await nextLook()
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      await at.enter('#/webhooks', key)
      await page.getByText('it lacks the scope “webhooks”').waitFor()
      expect(await button(at, 'New webhook').count()).toBe(0)
      await at.go('#/segments/buyers/webhooks')
      await page.getByText('it lacks the scope “webhooks”').waitFor()
      expect(await page.getByRole('link', { name: 'New webhook' }).count()).toBe(0)
      expect(asked).not.toContain('/webhooks')
      await at.client.webhooks.define('mail', { url: receiver.url })
      await page.reload()
      await at.enter('#/webhooks/mail')
      await at.unlock()
      await button(at, 'Send a test').click()
      await page.getByText('This process sends no webhooks').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('webhooks-off')
    },
    hangMs,
  )
})
