import { readFileSync } from 'node:fs'
import { describe, expect } from '@jest/globals'
import { createKey } from '../../src/adapters/api-keys/manage-keys.js'
import { hangMs, itInChromium } from '../support/client/chromium.js'
import { expectValue } from '../support/console/expect-value.js'
import {
  openedConsoles,
  refusedReply,
  type OpenedConsole,
} from '../support/console/opened-console.js'
import { nextLook } from '../support/next-look.js'

// A read of members is refused while the segment is being built, and an unfinished rule is refused.
const open = openedConsoles(refusedReply)

const hostile = "=cmd|' /C calc'!A0,\"<img src=x onerror=alert(1)>\u202e/%?#"

/** Opens the console of a service with some customers, some of whom buy. */
async function openShop(): Promise<OpenedConsole> {
  const opened = await open()
  const { client } = opened
  for (let at = 0; at < 30; at += 1) {
    const id = `p${String(at)}`
    await client.entities.create(id, { properties: { email: `${id}@example.org`, age: at } })
    if (at % 3 === 0) await client.entities.record(id, { name: 'buy', properties: { total: at } })
  }
  for (let order = 0; order < 2; order += 1) {
    await client.entities.record('p3', { name: 'buy', properties: { total: 100 } })
    await client.entities.record('p6', { name: 'buy', properties: { total: 7.5 } })
  }
  await client.entities.create(hostile, { properties: { email: hostile } })
  await client.entities.record(hostile, { name: 'buy' })
  // Waits until the reads of this process have everything, because a preview counts only once.
  await client.entities.get(hostile)
  return opened
}

/** Creates a key that may only read, and waits until the running service accepts it. */
async function readerKey({ service }: OpenedConsole): Promise<string> {
  const { key } = createKey(`${service.folder}/data/api-keys.json`, 'reader', ['read'])
  const headers = { authorization: `Bearer ${key}` }
  while ((await fetch(`${service.origin}/key`, { headers })).status === 401) await nextLook()
  return key
}

const typed = (at: OpenedConsole) => at.page.getByRole('textbox', { name: 'Rule as JSON' })
const figure = (at: OpenedConsole, number: number) =>
  at.page.locator('.figure', { hasText: new RegExp(`^${String(number)}$`) })

describe('segments in the console', () => {
  itInChromium(
    'are built from rows without JSON, previewed exactly, saved, and shown with their members',
    async () => {
      const at = await openShop()
      const { page } = at
      await at.enter('#/segments')
      await page.getByText('No segment yet').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('segments-empty')
      await page.getByRole('button', { name: 'New segment' }).click()
      await page.getByLabel('Title').fill('Three <b>orders</b>')
      await expectValue(page.getByLabel('Key'), 'three-b-orders-b')
      await page.getByLabel('Key').fill('orders')
      await page.getByRole('button', { name: 'Event', exact: true }).click()
      const row = page.getByRole('group', { name: 'Row 1' })
      await expectValue(row.getByLabel('Event'), '=buy')
      await row.getByLabel('Times').fill('3')
      await figure(at, 2).waitFor()
      await page.getByText('exact, of 31 people').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('segment-new')
      await at.unlock()
      await page.getByRole('button', { name: 'Save the segment' }).click()
      await page.waitForURL(/#\/segments\/orders$/)
      await page.getByText('live', { exact: true }).waitFor()
      expect((await at.client.segments.get('orders')).rule).toEqual({
        ...{ event: 'buy', within: '30d', count: { gte: 3 } },
      })
      await at.client.entities.record('p9', { name: 'buy' })
      await at.client.entities.record('p9', { name: 'buy' })
      await page.getByRole('link', { name: 'Changes' }).click()
      await page.getByRole('cell', { name: 'entered' }).waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('segment-changes')
      await page.getByRole('link', { name: 'Versions' }).click()
      await page.getByText('Version 1', { exact: true }).waitFor()
      expect(await at.axe()).toEqual([])
      await page.getByRole('link', { name: 'Segments', exact: true }).first().click()
      await page.getByText('entered').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('segments')
    },
    hangMs,
  )

  itInChromium(
    'show their members with chosen properties, and save all of them as a file',
    async () => {
      const at = await openShop()
      const { page } = at
      await at.client.segments.define('buyers', {
        ...{ title: 'Buyers', kind: 'rule', rule: { event: 'buy' } },
      })
      await at.enter('#/segments/buyers/members')
      await page.getByRole('link', { name: 'p27' }).waitFor()
      await page.getByLabel('Properties to show as columns').fill('email')
      await page.getByRole('button', { name: 'Show columns' }).click()
      await page.getByText('p0@example.org').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('segment-members')
      const saving = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save all as CSV' }).click()
      const file = readFileSync(await (await saving).path(), 'utf8')
      const lines = file.split('\r\n')
      expect(lines[0]).toBe('\ufeffexternal_id,entity_id,since,/email')
      expect(lines).toHaveLength(13)
      expect(file).toContain(`"'${hostile.replaceAll('"', '""')}"`)
    },
    hangMs,
  )

  itInChromium(
    'are built with the keyboard alone, by a key that can only read',
    async () => {
      const at = await openShop()
      const { page } = at
      const { keyboard } = page
      await at.enter('#/segments/+', await readerKey(at))
      await page.getByText('This key may only read').waitFor()
      expect(await page.getByRole('button', { name: 'Save the segment' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Event', exact: true }).focus()
      await keyboard.press('Enter')
      await page
        .locator(':focus', { has: page.locator('option', { hasText: 'did not' }) })
        .waitFor()
      await keyboard.press('Tab')
      await keyboard.press('Tab')
      await keyboard.press('Tab')
      await keyboard.press('ControlOrMeta+a')
      await keyboard.type('3')
      await figure(at, 2).waitFor()
      await page.getByText('exact, of 31 people').waitFor()
      await keyboard.press('Tab')
      await keyboard.press('a')
      await page.getByText('at least 3 buy events ever').waitFor()
      for (const name of ['where …', 'Remove row 1']) {
        while ((await focusedName(at)) !== name) await keyboard.press('Tab')
      }
      await keyboard.press('Enter')
      await page.getByText('Add a row to see').waitFor()
      expect(await focusedName(at)).toBe('Event')
    },
    hangMs,
  )

  itInChromium(
    'wait for the names of events, and begin with the most frequent one',
    async () => {
      const at = await openShop()
      const { page } = at
      let answer: () => void = () => undefined
      const answered = new Promise<void>((resolve) => (answer = resolve))
      await page.route('**/dictionary', async (route) => {
        await answered
        await route.continue()
      })
      await at.enter('#/segments/+')
      const add = page.getByRole('button', { name: 'Event', exact: true })
      await page.locator('.card', { hasText: 'Rule' }).getByRole('status').waitFor()
      expect(await add.count()).toBe(0)
      answer()
      await add.click()
      await expectValue(page.getByLabel('Event', { exact: true }), '=buy')
    },
    hangMs,
  )

  itInChromium(
    'take typed names while the names cannot be read, and keep the field that is typed into',
    async () => {
      const at = await openShop()
      const { page } = at
      const { keyboard } = page
      const error = { code: 'failed', message: 'broken', details: [], request_id: 'r' }
      await page.clock.install()
      await page.route('**/dictionary', (route) => route.fulfill({ status: 500, json: { error } }))
      await at.enter('#/segments/+')
      await page.getByRole('button', { name: 'Event', exact: true }).click()
      await page.getByRole('textbox', { name: 'Event', exact: true }).focus()
      await keyboard.type('bu')
      await page.unroute('**/dictionary')
      await page.clock.fastForward('00:16')
      await keyboard.type('y')
      // The choice of a property to rank by has the names that were read now.
      await page
        .getByLabel('Rank by')
        .locator('option', { hasText: 'total' })
        .waitFor({ state: 'attached' })
      await expectValue(page.locator(':focus'), 'buy')
      await figure(at, 11).waitFor()
      await keyboard.press('Tab')
      await page.getByRole('combobox', { name: 'Event', exact: true }).waitFor()
      await expectValue(page.getByRole('combobox', { name: 'Event', exact: true }), '=buy')
    },
    hangMs,
  )

  itInChromium(
    'have rows for groups, properties, other segments and tests of events, in two views of one rule',
    async () => {
      const at = await openShop()
      const { page } = at
      const rule = {
        all: [
          { event: 'buy', where: { '/total': { gt: 5 } }, within: '30d' },
          { not: { any: [{ segment: 'none' }, { property: '/age', is: { gte: 27 } }] } },
        ],
      }
      await at.client.segments.define('none', { title: 'Nobody', kind: 'hand' })
      await at.enter('#/segments/+')
      await page.getByRole('button', { name: 'Event', exact: true }).click()
      const first = page.getByRole('group', { name: 'Row 1', exact: true })
      await first.getByRole('button', { name: 'where …' }).click()
      await first.getByLabel('Property of the event').selectOption('=/total')
      await first.getByLabel('Test').selectOption('gt')
      await first.getByLabel('Value').fill('5')
      await page.getByRole('button', { name: 'Group', exact: true }).click()
      const group = page.getByRole('group', { name: 'Row 2: group' })
      await group.getByLabel('How many rows must match').selectOption('none')
      await group.getByRole('button', { name: 'Remove row 2.1' }).click()
      await group.getByRole('button', { name: 'Segment', exact: true }).click()
      await group.getByRole('button', { name: 'Property', exact: true }).click()
      const property = page.getByRole('group', { name: 'Row 2.2' })
      await property.getByLabel('Property').selectOption('=/age')
      await property.getByLabel('Test').selectOption('gte')
      await property.getByLabel('Value').fill('27')
      await figure(at, 8).waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('segment-groups')
      await page.getByRole('button', { name: 'JSON' }).click()
      expect(JSON.parse(await typed(at).inputValue())).toEqual(rule)
      await typed(at).fill(JSON.stringify({ not: rule }))
      await page.getByRole('button', { name: 'Builder' }).click()
      await expectValue(page.getByLabel('How many rows must match').first(), 'not all')
      await page.getByRole('button', { name: 'JSON' }).click()
      await typed(at).fill('{"not":{"not":{"event":"buy"}}}')
      await page.getByRole('button', { name: 'Builder' }).click()
      await page.getByText('The builder cannot show this rule: it has a “not”').waitFor()
      expect(await typed(at).inputValue()).toContain('"not"')
      expect(await at.axe()).toEqual([])
      await at.take('segment-json')
    },
    hangMs,
  )

  itInChromium(
    'keep an unsaved rule through navigation, a reload and signing out, and ask before it is left',
    async () => {
      const at = await openShop()
      const { page } = at
      await at.client.segments.define('buyers', {
        ...{ title: 'Buyers', kind: 'rule', rule: { event: 'buy', within: '30d' } },
      })
      page.on('dialog', (dialog) => void dialog.accept())
      await at.enter('#/segments/buyers')
      const days = page.getByLabel('How long', { exact: true })
      await days.fill('7')
      await page.getByText('unsaved changes').waitFor()
      // The tabs of the segment do not ask.
      await page.getByRole('link', { name: 'Members' }).click()
      await page.getByRole('link', { name: 'Rule', exact: true }).click()
      await expectValue(days, '7')
      await page.getByRole('link', { name: 'People', exact: true }).click()
      await page.getByRole('dialog', { name: 'This rule is not saved' }).waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('segment-leave')
      await page.getByRole('button', { name: 'Stay here' }).click()
      await expectValue(days, '7')
      expect(page.url()).toMatch(/#\/segments\/buyers$/)
      await page.getByRole('link', { name: 'People', exact: true }).click()
      await page.getByRole('button', { name: 'Leave, keep the rule' }).click()
      await page.waitForURL(/#\/people$/)
      await at.go('#/segments')
      await page.getByText('unsaved changes').waitFor()
      await page.reload()
      await at.enter('#/segments/buyers')
      await page.getByText('unsaved changes').waitFor()
      await expectValue(days, '7')
      await page.getByRole('button', { name: 'Discard' }).click()
      await expectValue(days, '30')
      await page.getByText('unsaved changes').waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'People', exact: true }).click()
      await page.waitForURL(/#\/people$/)
    },
    hangMs,
  )

  itInChromium(
    'show the mistakes of a rule at its row or line, and are not overwritten by a second editor',
    async () => {
      const at = await openShop()
      const { page } = at
      const { segments } = at.client
      await segments.define('buyers', {
        ...{ title: 'Buyers', kind: 'rule', rule: { event: 'buy', within: '30d' } },
      })
      await at.enter('#/segments/buyers')
      await at.unlock()
      await page.getByLabel('How long', { exact: true }).fill('many')
      const row = page.getByRole('group', { name: 'Row 1' })
      await row.getByRole('alert').filter({ hasText: 'must be a duration' }).waitFor()
      await page.getByText('The rule is not complete').waitFor()
      expect(await at.axe()).toEqual([])
      await page.getByRole('button', { name: 'JSON' }).click()
      await typed(at).fill('{\n  "event": "buy",\n  "within": "30 days"\n}')
      await page.getByText(/^Line 3, column 13: /).waitFor()
      expect(await page.getByText('at least 1 buy').count()).toBe(0)
      await page.getByRole('button', { name: 'Save as version 2' }).click()
      await page.getByText('Nothing was saved. The fields say why.').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('segment-mistake')
      await typed(at).fill('{"event":"buy","within":"10d"}')
      await page.getByText('at least 1 buy event in the last 10 days').waitFor()
      await page.getByText(/^Line /).waitFor({ state: 'detached' })
      await segments.define('buyers', { title: 'Theirs', kind: 'rule', rule: { event: 'buy' } })
      await page.getByRole('button', { name: 'Save as version 2' }).click()
      await page.getByText('Somebody else has changed this segment meanwhile.').waitFor()
      await at.take('segment-overtaken')
      expect((await segments.get('buyers')).title).toBe('Theirs')
      await page.getByRole('button', { name: 'Continue with mine, after version 2' }).click()
      await page.getByRole('button', { name: 'Save as version 3' }).click()
      await page.getByText('unsaved changes').waitFor({ state: 'detached' })
      const { version, rule } = await segments.get('buyers')
      expect([version, rule]).toEqual([3, { event: 'buy', within: '10d' }])
    },
    hangMs,
  )

  itInChromium(
    'are previewed only while the rule is shown, and a second preview waits for the first',
    async () => {
      const at = await openShop()
      const { page } = at
      const ending = () =>
        page.waitForEvent('requestfailed', (sent) => sent.url().endsWith('/segments/preview'))
      const begun = () => page.waitForRequest('**/segments/preview')
      await page.route('**/segments/preview', () => undefined)
      await at.enter('#/')
      await Promise.all([begun(), at.go('#/segments/+?like=frequent')])
      await Promise.all([begun(), ending(), page.getByLabel('Times').fill('4')])
      await at.go('#/segments/+?event=buy')
      await Promise.all([
        ending(),
        page.getByRole('button', { name: 'Leave, keep the rule' }).click(),
      ])
      const error = { code: 'preview_under_way', message: 'later', details: [], request_id: 'r' }
      await page.route('**/segments/preview', (route) =>
        route.fulfill({ status: 429, json: { error } }),
      )
      await page.getByText('waits for the preview of somebody else').waitFor()
      await page.unroute('**/segments/preview')
      await figure(at, 11).waitFor()
    },
    hangMs,
  )

  itInChromium(
    'that are new continue from the existing segment with their key',
    async () => {
      const at = await openShop()
      const { page } = at
      const title = '\u202e<script>alert(1)</script>'
      await at.client.segments.define('asleep', { title, kind: 'rule', rule: { event: 'buy' } })
      await at.enter('#/segments/+?like=asleep')
      await page.getByText('is the key of another segment').waitFor()
      await at.unlock()
      await page.getByRole('button', { name: 'Save the segment' }).click()
      const theirs = page.getByRole('button', { name: 'Continue with theirs' })
      await theirs.click()
      await theirs.waitFor({ state: 'detached' })
      await page.getByLabel('When', { exact: true }).selectOption('within')
      await page.getByLabel('How long', { exact: true }).fill('7')
      await page.getByRole('button', { name: 'Save as version 2' }).click()
      await page.waitForURL(/#\/segments\/asleep$/)
      const saved = await at.client.segments.get('asleep')
      expect(saved).toMatchObject({ title, version: 2, rule: { event: 'buy', within: '7d' } })
    },
    hangMs,
  )

  itInChromium(
    'cannot be changed before the tab is unlocked',
    async () => {
      const at = await openShop()
      const { page } = at
      await at.client.segments.define('friends', { title: 'Friends', kind: 'hand' })
      await at.enter('#/segments/friends')
      await page.getByLabel('Person').fill('p1')
      const add = page.getByRole('button', { name: 'Add', exact: true })
      expect(await add.isDisabled()).toBe(true)
      await at.unlock()
      expect(await add.isDisabled()).toBe(false)
      await page.getByLabel('Reason').fill('met at the fair')
      await add.click()
      await page.getByText(/^Stored at /).waitFor()
      await page.getByRole('link', { name: /^Members/ }).click()
      await page.getByRole('link', { name: 'p1', exact: true }).first().waitFor()
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Retire this segment …' }).click()
      expect(await at.axe()).toEqual([])
      await at.take('segment-retire')
      await page.getByRole('button', { name: 'Retire friends' }).click()
      await page.getByText('No segment yet').waitFor()
    },
    hangMs,
  )

  itInChromium(
    'show the members with the most counted events, all of them as a list and a file, and unknown events',
    async () => {
      const at = await openShop()
      const { page } = at
      const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
      const bought = async (id: string, total: number, day = yesterday) =>
        at.client.entities.record(id, {
          name: 'purchase',
          properties: { total },
          occurred_at: `${day}T12:00:00Z`,
        })
      await bought('p1', 20.1)
      await bought('p1', 20.2)
      await bought('p2', 99)
      await bought('p3', 1_000, '2026-01-01')
      await at.client.entities.get('p3')
      await at.enter('#/segments/+?like=yesterday')
      const most = page.locator('.preview tbody tr')
      await most.first().waitFor()
      expect(await most.allInnerTexts()).toEqual(['p2\t99.00\t1', 'p1\t40.30\t2'])
      expect(await at.axe()).toEqual([])
      await at.take('segment-ranking')
      await page.getByLabel('Rank by').selectOption('number of events')
      await page.locator('.preview tr', { hasText: 'p1' }).first().getByText('2').waitFor()
      await page.getByRole('button', { name: 'List all 2' }).click()
      const dialog = page.getByRole('dialog', { name: '2 would be in it' })
      await dialog.getByRole('link', { name: 'p2' }).waitFor()
      const saving = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Save all as CSV' }).click()
      expect(readFileSync(await (await saving).path(), 'utf8')).toBe(
        '\ufeffexternal_id\r\np1\r\np2\r\n',
      )
      await dialog.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: 'JSON' }).click()
      await typed(at).fill('{"event":"order","within":"30d"}')
      await page.getByText('Nobody has recorded an event called order.').waitFor()
      await page.getByText('There are: buy, purchase.').waitFor()
      await page.getByText('What a rule can say').click()
      await page.getByText('among a fixed 10 % of everybody').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('segment-grammar')
    },
    hangMs,
  )

  itInChromium(
    'that catch more people than a preview lists are listed in pages, found as far as they are read',
    async () => {
      const at = await open()
      const { page } = at
      const ids = Array.from({ length: 250 }, (_, number) => `p${String(number)}`)
      const creations = ids.map((id) => {
        return { op: 'create_entity', external_id: id, properties: { wanted: true } } as const
      })
      for await (const { error } of at.client.batch(creations)) expect(error).toBeUndefined()
      const evaluations: string[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/segments/evaluate')) evaluations.push(request.url())
      })
      await at.enter('#/segments/+')
      await page.getByRole('button', { name: 'JSON' }).click()
      await typed(at).fill('{"property":"/wanted","is":{"eq":true}}')
      await page.getByRole('button', { name: 'List all 250' }).click()
      const dialog = page.getByRole('dialog', { name: '250 would be in it' })
      await dialog.getByText('1 to 100 of 250').waitFor()
      expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(ids.slice(0, 100))
      expect(evaluations).toHaveLength(1)
      expect(await at.axe()).toEqual([])
      await at.take('segment-matches')
      await dialog.getByRole('button', { name: 'Next' }).click()
      await dialog.getByText('101 to 200 of 250').waitFor()
      await dialog.getByRole('button', { name: 'Next' }).click()
      await dialog.getByText('201 to 250 of 250').waitFor()
      expect(await dialog.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
      await dialog.getByRole('button', { name: 'Previous' }).click()
      await dialog.getByText('101 to 200 of 250').waitFor()
      expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(ids.slice(100, 200))
      const saving = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Save all as CSV' }).click()
      const file = readFileSync(await (await saving).path(), 'utf8')
      expect(file).toBe(`\ufeffexternal_id\r\n${ids.join('\r\n')}\r\n`)
    },
    900_000,
  )

  itInChromium(
    'that are retired during an edit are shown as retired, and can be defined again',
    async () => {
      const at = await openShop()
      const { page } = at
      const { segments } = at.client
      await segments.define('buyers', { title: 'Buyers', kind: 'rule', rule: { event: 'buy' } })
      await at.enter('#/segments/buyers')
      await at.unlock()
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Change the title' }).click()
      await page.getByLabel('Title').fill('Mine')
      await segments.retire('buyers')
      await page.getByRole('button', { name: 'Save as version 2' }).click()
      await page.getByText('Somebody else has retired this segment meanwhile.').waitFor()
      await page.getByRole('button', { name: 'Continue with mine as a new segment' }).click()
      await page.getByRole('button', { name: 'Save as a new segment' }).click()
      await page.getByText('unsaved changes').waitFor({ state: 'detached' })
      expect((await segments.get('buyers')).title).toBe('Mine')
    },
    hangMs,
  )
})

/** The text or the label of the element that has the focus. */
async function focusedName({ page }: OpenedConsole): Promise<string> {
  const focused = page.locator(':focus')
  return (await focused.getAttribute('aria-label')) ?? (await focused.innerText()).trim()
}
