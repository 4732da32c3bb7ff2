import { readFileSync } from 'node:fs'
import { describe, expect } from '@jest/globals'
import { itInChromium } from '../support/client/chromium.js'
import {
  openedConsoles,
  refusedReply,
  type OpenedConsole,
} from '../support/console/opened-console.js'

const open = openedConsoles()

const hostile = "=cmd|' /C calc'!A0,\"<img src=x onerror=alert(1)>\u202e/%?#"

/** Opens the console of a service with some customers, some of whom buy. */
async function openShop(): Promise<OpenedConsole> {
  const opened = await open()
  const { client } = opened
  for (let at = 0; at < 30; at += 1) {
    const id = `p${String(at)}`
    await client.entities.create(id, { properties: { email: `${id}@example.org` } })
    if (at % 3 === 0) await client.entities.record(id, { name: 'buy', properties: { total: at } })
  }
  await client.entities.create(hostile, { properties: { email: hostile } })
  await client.entities.record(hostile, { name: 'buy' })
  return opened
}

describe('segments in the console', () => {
  itInChromium(
    'start from a template, are previewed exactly, saved, and shown with their members',
    async () => {
      const at = await openShop()
      // A read of members may be refused while the segment is being built.
      at.expected.push(refusedReply)
      await at.enter('#/segments')
      await at.page.getByRole('heading', { name: 'No segment yet' }).waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('segments-empty')
      await at.page.getByRole('link', { name: 'New segment' }).click()
      await at.page.getByLabel('Key').fill('buyers')
      await at.page.getByLabel('Title').fill('Bought <b>something</b>')
      await at.page.getByRole('textbox', { name: 'Rule' }).fill('{"event":"buy"}')
      await at.page.getByRole('button', { name: 'Preview' }).click()
      await at.page.getByText('Exactly 11').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('segment-new')
      await at.unlock()
      await at.page.getByRole('button', { name: 'Save' }).click()
      await at.page.getByRole('heading', { name: 'Bought <b>something</b>' }).waitFor()
      await at.page.getByText('live', { exact: true }).waitFor()
      expect((await at.client.segments.members('buyers').page()).members).toBe(11)
      await at.page.getByRole('link', { name: 'p27' }).waitFor()
      await at.client.entities.record('p1', { name: 'buy' })
      await at.page.getByRole('cell', { name: 'enter' }).waitFor()
      await at.page.getByLabel('Properties to show').fill('/email')
      await at.page.getByRole('button', { name: 'Show properties' }).click()
      await at.page.getByText('"p0@example.org"').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('segment')
      const saving = at.page.waitForEvent('download')
      await at.page.getByRole('button', { name: 'Save all as CSV' }).click()
      const file = readFileSync(await (await saving).path(), 'utf8')
      const lines = file.split('\r\n')
      expect(lines[0]).toBe('\ufeffexternal_id,entity_id,since,/email')
      expect(lines).toHaveLength(14)
      expect(file).toContain(`"'${hostile.replaceAll('"', '""')}"`)
    },
    90_000,
  )

  itInChromium(
    'show the mistakes of a rule at its line, and are not overwritten by a second editor',
    async () => {
      const at = await openShop()
      at.expected.push(refusedReply)
      const { segments } = at.client
      await segments.define('buyers', { title: 'Buyers', kind: 'rule', rule: { event: 'buy' } })
      await at.enter('#/segments/buyers/edit')
      await at.unlock()
      const rule = at.page.getByRole('textbox', { name: 'Rule' })
      await rule.fill('{\n  "event": "buy",\n  "within": "30 days"\n}')
      const fault = at.page.getByText(/^Line 3, column 13: /)
      // The mistake is shown while typing. No sentence is shown for an invalid rule.
      await fault.waitFor()
      expect(await at.page.getByText('at least 1 buy').count()).toBe(0)
      await at.page.getByRole('button', { name: 'Preview' }).click()
      await fault.nth(1).waitFor()
      await at.page.getByRole('button', { name: 'Save' }).click()
      await at.page.getByText('Nothing is saved: see above.').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('segment-edit')
      await rule.fill('{"event":"buy","whithin":"30d"}')
      await at.page.getByText(/^Line 1, column 26: /).waitFor()
      expect(await at.page.getByText('at least 1 buy').count()).toBe(0)
      await rule.fill('{"event":"buy","within":"30d"}')
      await at.page.getByText('at least 1 buy in the last 30 days').waitFor()
      // The mistakes of a previous text must not be shown for the current one.
      await fault.first().waitFor({ state: 'detached' })
      await segments.define('buyers', { title: 'Theirs', kind: 'rule', rule: { event: 'buy' } })
      await at.page.getByRole('button', { name: 'Save' }).click()
      await at.page.getByText('Somebody else has saved this segment meanwhile.').waitFor()
      await at.take('segment-overtaken')
      expect((await segments.get('buyers')).title).toBe('Theirs')
      await at.page.getByRole('button', { name: 'Go on with mine, over version 2' }).click()
      await at.page.getByRole('button', { name: 'Save' }).click()
      await at.page.waitForURL(/#\/segments\/buyers$/)
      const { version, rule: saved } = await segments.get('buyers')
      expect([version, saved]).toEqual([3, { event: 'buy', within: '30d' }])
    },
    90_000,
  )

  itInChromium(
    'are previewed only while the typed rule is shown, and a second preview waits for the first',
    async () => {
      const at = await openShop()
      at.expected.push(refusedReply)
      const ended: string[] = []
      at.page.on('requestfailed', (request) => ended.push(request.url()))
      await at.page.route('**/segments/preview', () => undefined)
      await at.enter('#/segments/+?like=frequent')
      const preview = at.page.getByRole('button', { name: 'Preview' })
      const begin = () =>
        Promise.all([at.page.waitForRequest('**/segments/preview'), preview.click()])
      const ending = () => at.page.waitForEvent('requestfailed')
      const rule = at.page.getByRole('textbox', { name: 'Rule' })
      await begin()
      await Promise.all([ending(), begin()])
      await Promise.all([ending(), rule.fill('{"event":"login"}')])
      await begin()
      await Promise.all([ending(), at.go('#/segments')])
      expect(ended).toHaveLength(3)
      await at.go('#/segments/+?like=frequent')
      const json = { code: 'preview_under_way', message: 'later', details: [], request_id: 'r' }
      await at.page.route('**/segments/preview', (route) => route.fulfill({ status: 429, json }))
      await preview.click()
      await at.page.getByText('Somebody else is previewing.').waitFor()
    },
    90_000,
  )

  itInChromium(
    'that are new continue from the existing segment with their key',
    async () => {
      const at = await openShop()
      at.expected.push(refusedReply)
      const title = '\u202e<script>alert(1)</script>'
      await at.client.segments.define('asleep', { title, kind: 'rule', rule: { event: 'buy' } })
      await at.enter('#/segments/+?like=asleep')
      await at.unlock()
      await at.page.getByRole('button', { name: 'Save' }).click()
      const theirs = at.page.getByRole('button', { name: 'Go on with theirs' })
      await theirs.click()
      await theirs.waitFor({ state: 'detached' })
      const rule = at.page.getByRole('textbox', { name: 'Rule' })
      expect(JSON.parse(await rule.inputValue())).toEqual({ event: 'buy' })
      await rule.fill('{"event":"buy","within":"7d"}')
      await at.page.getByRole('button', { name: 'Save' }).click()
      await at.page.getByText('version 2').first().waitFor()
      expect((await at.client.segments.get('asleep')).title).toBe(title)
    },
    90_000,
  )

  itInChromium(
    'cannot be changed before the tab is unlocked',
    async () => {
      const at = await openShop()
      // A read of a segment that is being retired is refused.
      at.expected.push(refusedReply)
      await at.client.segments.define('friends', { title: 'Friends', kind: 'hand' })
      await at.enter('#/segments/friends')
      const retire = at.page.getByRole('button', { name: 'Retire …' })
      await retire.waitFor()
      expect(await retire.isDisabled()).toBe(true)
      await at.unlock()
      expect(await retire.isDisabled()).toBe(false)
      await at.page.getByLabel('Person').fill('p1')
      await at.page.getByLabel('Reason').fill('met at the fair')
      await at.page.getByRole('button', { name: 'Put in' }).click()
      await at.page.getByText(/^Stored at /).waitFor()
      await at.page.getByRole('link', { name: 'p1', exact: true }).first().waitFor()
      await retire.click()
      await at.page.getByRole('button', { name: 'Yes, retire friends' }).click()
      await at.page.getByRole('heading', { name: 'No segment yet' }).waitFor()
    },
    90_000,
  )

  itInChromium(
    'show the members with the most counted events, and the existing event names when there are none',
    async () => {
      const at = await openShop()
      const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
      const bought = async (id: string, total: number, day = yesterday) =>
        at.client.entities.record(id, {
          name: 'purchase',
          properties: { total },
          occurred_at: `${day}T12:00:00Z`,
        })
      await bought('p1', 20.1)
      await bought('p1', 20.2)
      await bought('p2', 99.5)
      await bought('p3', 1_000, '2026-01-01')
      await at.enter('#/')
      await at.page.getByRole('link', { name: 'Who bought most yesterday' }).click()
      const preview = at.page.getByRole('button', { name: 'Preview' })
      await preview.click()
      const most = at.page.locator('ol li')
      await most.first().waitFor()
      expect(await most.allInnerTexts()).toEqual(['p2 99.50 in 1 event', 'p1 40.30 in 2 events'])
      expect(await at.axe()).toEqual([])
      await at.take('segment-ranking')
      await at.page.getByLabel('Rank by the sum of').fill('')
      await preview.click()
      await at.page.getByText('p1 2 events').waitFor()
      const rule = at.page.getByRole('textbox', { name: 'Rule' })
      await rule.fill('{"event":"order","within":"30d"}')
      await preview.click()
      await at.page.getByText('No event is called order. There are: buy, purchase.').waitFor()
      await at.page.getByText('What a rule can say').click()
      await at.page.getByText('among a fixed 10 % of everybody').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('segment-grammar')
    },
    90_000,
  )

  itInChromium(
    'that are retired during an edit are shown as retired, and can be defined again',
    async () => {
      const at = await openShop()
      at.expected.push(refusedReply)
      const { segments } = at.client
      await segments.define('buyers', { title: 'Buyers', kind: 'rule', rule: { event: 'buy' } })
      await at.enter('#/segments/buyers/edit')
      await at.unlock()
      await at.page.getByLabel('Title').fill('Mine')
      await segments.retire('buyers')
      await at.page.getByRole('button', { name: 'Save' }).click()
      await at.page.getByText('Somebody else has retired this segment meanwhile.').waitFor()
      await at.page.getByRole('button', { name: 'Go on with mine, as a new segment' }).click()
      await at.page.getByRole('button', { name: 'Save' }).click()
      await at.page.waitForURL(/#\/segments\/buyers$/)
      expect((await segments.get('buyers')).title).toBe('Mine')
    },
    90_000,
  )
})
