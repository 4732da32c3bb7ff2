import { resolve } from 'node:path'
import { describe, expect } from '@jest/globals'
import { shopOrders } from '../../examples/online-retail/options.js'
import { createKey } from '../../src/adapters/api-keys/manage-keys.js'
import { Dossier, type Rule } from '../../src/client/dossier.js'
import { hangMs, itInChromium } from '../support/client/chromium.js'
import { expectValue } from '../support/console/expect-value.js'
import {
  openedConsoles,
  refusedReply,
  type OpenedConsole,
} from '../support/console/opened-console.js'
import { nextLook } from '../support/next-look.js'
import { runProgram } from '../support/run-program.js'

const open = openedConsoles(refusedReply)
const dayMs = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString()

/** Sends the orders of a real shop. */
async function sendOrders({ service }: OpenedConsole): Promise<void> {
  const program = resolve('.build/examples/online-retail/main.js')
  const words = ['--url', service.origin, '--file', shopOrders]
  const env = { cwd: service.folder, DOSSIER_KEY: service.key }
  expect(await runProgram(program, words, env)).toMatchObject({ code: 0 })
}

/** Creates a key, and waits until the running service accepts it, within two seconds. */
async function newKey(
  { service }: OpenedConsole,
  name: string,
  scopes: Parameters<typeof createKey>[2],
): Promise<string> {
  const { key } = createKey(`${service.folder}/data/api-keys.json`, name, scopes)
  const client = new Dossier({ url: service.origin, key })
  const isAccepted = () =>
    client.service.key().then(
      () => true,
      () => false,
    )
  while (!(await isAccepted())) await nextLook()
  return key
}

describe('entities in the console', () => {
  itInChromium(
    'are listed by their latest events, by creation in pages, by the start of their ids, and by any property',
    async () => {
      const at = await open()
      const { page } = at
      await sendOrders(at)
      await at.client.entities.create('zoe', { properties: { email: 'zoe@example.org' } })
      await at.enter('#/people')
      await page.getByRole('columnheader', { name: 'country' }).waitFor()
      await page.getByRole('columnheader', { name: 'Last event' }).waitFor()
      expect(await page.locator('tbody tr').count()).toBe(50)
      expect(await at.axe()).toEqual([])
      await at.take('people')
      await page.getByRole('link', { name: 'Show the 1 000 latest' }).click()
      await page.locator('tbody tr').nth(153).waitFor()
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('checkbox', { name: 'email' }).check()
      expect(await at.axe()).toEqual([])
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('columnheader', { name: 'email' }).waitFor()

      await page.getByLabel('Order').selectOption('created')
      await page.getByRole('heading', { name: 'By creation' }).waitFor()
      await page.locator('tbody a').first().waitFor()
      for (let more = 0; more < 3; more += 1) {
        const [before] = await page.locator('tbody a').allInnerTexts()
        await page.getByRole('link', { name: 'Next page' }).click()
        await page
          .getByRole('link', { name: before ?? '', exact: true })
          .waitFor({ state: 'detached' })
        await page.locator('tbody a').first().waitFor()
      }
      await page.getByRole('cell', { name: 'zoe@example.org' }).waitFor()
      expect(await page.locator('tbody tr').count()).toBe(5)
      await page.getByLabel('Id begins with').fill('zo')
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.waitForURL(/starts_with=zo/)
      await page.getByRole('link', { name: 'zoe' }).waitFor()

      await page.getByLabel('Property').selectOption('purchase · invoice')
      await page.getByLabel('is exactly').fill('539587')
      await page.getByRole('button', { name: 'Find' }).click()
      await page.waitForURL(/event=purchase&property=%2Finvoice&is=539587/)
      await page.getByText('looked at 155 of 155 people').waitFor()
      await page.getByRole('cell', { name: '14298' }).waitFor()
      await at.go('#/people?property=/country&is=Atlantis')
      await page.getByText('Nobody has this value').waitFor()
      await at.go('#/people?starts_with=nobody')
      await page.getByText('No id begins like this').waitFor()
      expect(await at.axe()).toEqual([])
    },
    hangMs,
  )

  itInChromium(
    'can be created with the time when they came to be',
    async () => {
      const at = await open()
      const { page } = at
      await at.enter('#/people')
      await at.unlock()
      await page.getByRole('button', { name: 'New person' }).click()
      await page.getByLabel('Id: your own name').fill('grace')
      await page.getByLabel('Came to be at').fill('last spring')
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await page.getByText('Nothing was stored. The fields say why.').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('new-person')
      await page.getByLabel('Came to be at').fill('2024-03-20')
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      const { created_at: created } = await at.client.entities.get('grace')
      expect(created).toBe('2024-03-20T00:00:00.000Z')
    },
    900_000,
  )

  itInChromium(
    'that do not exist lead to a button that creates ada',
    async () => {
      const at = await open()
      await at.enter('#/people')
      await at.page.getByText('npx dossier demo').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('people-empty')
      await at.unlock()
      await at.page.getByRole('button', { name: 'Create ada' }).click()
      await at.page.getByRole('link', { name: 'ada' }).first().waitFor()
    },
    hangMs,
  )

  itInChromium(
    'can have unusual names and values without breaking the page',
    async () => {
      const at = await open({ BODY_LIMIT: '1048576' })
      const properties = {
        '<script>complain("run")</script>': '</script><svg onload=complain("run")>',
        'a\u202eb': '\u0007 \u200b javascript:complain("run")',
      }
      const huge = { properties: { huge: 'x'.repeat(1_048_000) } }
      const ids = [
        '<img src=x onerror=complain("run")>',
        'javascript:complain("run")',
        'a/b|c%d#e?f&g',
        '%',
        'שלום \u202e abc',
        'x'.repeat(255),
      ]
      for (const id of ids) {
        await at.client.entities.create(id, { properties })
        await at.client.entities.record(id, { name: '<b>\u202ename</b>', properties: { '<': '>' } })
      }
      await at.client.entities.create('huge', huge)
      await at.client.entities.record('huge', { name: 'huge', ...huge })
      await at.enter('#/people/huge')
      await at.page.getByRole('button', { name: 'more' }).first().waitFor()
      expect(await at.page.locator('main').innerText()).not.toContain('x'.repeat(10_000))
      for (const id of ids) {
        await at.go('#/people')
        const name = id.replace('\u202e', '⟨U+202E⟩')
        await at.page.getByRole('link', { name, exact: true }).click()
        await at.page.locator('.entry', { hasText: '<b>⟨U+202E⟩name</b>' }).waitFor()
        expect(decodeURIComponent(new URL(at.page.url()).hash)).toBe(`#/people/${id}`)
      }
      expect(await at.page.locator('main script, main img').count()).toBe(0)
      await at.go('#/data')
      await at.page.getByRole('cell', { name: '<b>⟨U+202E⟩name</b>' }).waitFor()
      await at.take('data-hostile')
      await at.go(`#/people/${encodeURIComponent('שלום \u202e abc')}`)
      await at.page.getByRole('heading', { name: 'שלום' }).waitFor()
      await at.page.locator('.entry').first().waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('person-hostile')
    },
    hangMs,
  )
})

describe('an entity in the console', () => {
  itInChromium(
    'has a time axis with a handle through the past, a timeline and a history',
    async () => {
      const at = await open()
      const { page, client } = at
      await client.entities.create('ada', { properties: { plan: 'free' } })
      for (const days of [40, 12]) {
        await client.entities.record('ada', { name: 'buy', occurred_at: daysAgo(days) })
      }
      await client.entities.record('ada', { name: 'login' })
      await client.entities.update('ada', { set: { plan: 'paid' } }, { requestId: 'from-billing' })
      await at.enter('#/people/ada')
      await page.getByText('5 facts, 2 of them recorded late').waitFor()
      expect(await page.locator('.time-axis circle.late').count()).toBe(2)
      await page.getByText('recorded 40 days later').waitFor()
      await page.locator('.entry', { hasText: 'set plan paid' }).waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('person')
      await page.getByRole('button', { name: 'History' }).click()
      await page.getByRole('cell', { name: 'from-billing' }).waitFor()
      expect(await at.axe()).toEqual([])
      await page.getByRole('button', { name: 'Close' }).click()

      const slider = page.getByRole('slider')
      await slider.focus()
      // Moves the handle to the second instant, before the creation: the event of that time is there.
      for (const key of ['Home', 'ArrowRight']) await slider.press(key)
      await page.getByText('This person was created only on').waitFor()
      await page.locator('.entry', { hasText: 'recorded 40 days later' }).waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('person-before')
      await page.getByRole('link', { name: 'Back to now' }).click()
      await slider.focus()
      // Moves to the last but one instant: the login, before the plan changed.
      for (const key of ['End', 'ArrowLeft', 'ArrowLeft']) await slider.press(key)
      await page.locator('.property', { hasText: 'free' }).waitFor()
      const [, time = ''] = /as_of=([^&]+)/.exec(page.url()) ?? []
      await page.reload()
      await at.enter(`#/people/ada?as_of=${time}`)
      await page.locator('.property', { hasText: 'free' }).waitFor()
      await at.take('person-as-of')
      await page.getByRole('button', { name: 'Known on …' }).click()
      await page.getByLabel('Known on:').fill('yesterday')
      await page.getByRole('button', { name: 'Show', exact: true }).click()
      await page.getByText('This is not a time.').waitFor()
      expect(page.url()).not.toContain('known_at')
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('link', { name: 'Back to now' }).click()

      await page.locator('.property', { hasText: 'paid' }).waitFor()
      await page.getByLabel('Event', { exact: true }).selectOption('login')
      await page.waitForURL(/name=login/)
      await page.locator('.entry', { hasText: 'buy' }).first().waitFor({ state: 'detached' })
      await page.getByLabel('Event', { exact: true }).selectOption('')
      await page.getByLabel('Order').selectOption('recorded')
      await page.waitForURL(/by=recorded/)
      await page.locator('.entry', { hasText: 'buy' }).first().waitFor()
    },
    hangMs,
  )

  itInChromium(
    'has times of its own, apart from the times of recording, and changes that came too late',
    async () => {
      const at = await open()
      const { page, client } = at
      await client.segments.define('vips', {
        ...{ title: 'VIPs', kind: 'rule' },
        rule: { property: '/tier', is: { eq: 'vip' } },
      })
      const properties = { plan: 'free', tier: 'vip' }
      await client.entities.create('ada', { properties, occurred_at: daysAgo(200) })
      const change = (set: object, days: number) =>
        client.entities.update('ada', { set: { ...set }, occurred_at: daysAgo(days) })
      await change({ plan: 'paid', tier: 'basic' }, 100)
      await change({ plan: 'trial' }, 150)
      await at.enter('#/people/ada')
      await page.getByText('created 200 days ago (recorded').waitFor()
      const plan = page.locator('.property', { hasText: 'plan' })
      await plan.filter({ hasText: '100 days ago' }).filter({ hasText: 'recorded' }).waitFor()
      const late = page.locator('.entry', { hasText: 'recorded 150 days later' })
      await late.getByText('too late for plan: a newer change stays in force').waitFor()
      await page.locator('.entry', { hasText: 'created, set plan free' }).waitFor()
      await page.locator('.entry', { hasText: 'entered vips' }).waitFor()
      await page.locator('.entry', { hasText: 'left vips' }).waitFor()
      expect(await page.locator('.time-axis rect.late').count()).toBe(3)
      expect(await at.axe()).toEqual([])
      await at.take('person-own-times')
      await page.getByRole('button', { name: 'History' }).click()
      await page.getByRole('cell', { name: 'too late: a newer change stays in force' }).waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('person-history')
      await page.getByRole('button', { name: 'Close' }).click()

      await at.go(`#/people/ada?as_of=${daysAgo(300)}`)
      await page.getByText('Nothing that had happened by then is known').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('person-not-yet')
      await page.getByRole('link', { name: 'Go to their first fact' }).click()
      await page.locator('.property', { hasText: 'free' }).waitFor()
      await page.getByText('200 days ago').first().waitFor()
      await page.getByRole('link', { name: 'Back to now' }).click()
      await page.locator('.property', { hasText: 'paid' }).waitFor()
    },
    900_000,
  )

  itInChromium(
    'moves through the past with the pointer',
    async () => {
      const at = await open()
      const { page, client } = at
      await client.entities.create('ada')
      await client.entities.record('ada', { name: 'buy', occurred_at: daysAgo(10) })
      await at.enter('#/people/ada')
      const mark = page.locator('.time-axis circle.late')
      await mark.click()
      await page.waitForURL(/as_of=/)
      await page.getByText('This person was created only on').waitFor()
      const box = await page.getByRole('slider').boundingBox()
      if (box === null) throw new TypeError('the axis is not shown')
      await page.mouse.move(box.x + box.width / 2, box.y + 20)
      await page.mouse.down()
      await page.mouse.move(box.x + box.width - 2, box.y + 20)
      await page.mouse.up()
      await page.waitForURL((url) => !url.hash.includes('as_of'))
    },
    hangMs,
  )

  itInChromium(
    'that does not exist is shown as missing, and can be created',
    async () => {
      const at = await open()
      await at.enter('#/people/grace')
      await at.page.getByText('Nobody is called grace').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('person-missing')
      await at.unlock()
      await at.page.getByRole('button', { name: 'Create' }).click()
      await at.page.getByRole('heading', { name: 'Timeline' }).waitFor()
    },
    hangMs,
  )

  itInChromium(
    'that was erased cannot be created again, also with a key that may not see erasures',
    async () => {
      const at = await open()
      await at.client.entities.create('ada')
      await at.client.erasures.begin('ada', { suppress: true })
      await at.enter('#/people/ada', await newKey(at, 'writer', ['read', 'write']))
      await at.unlock()
      await at.page.getByRole('button', { name: 'Create' }).click()
      await at.page.getByText('This person was erased').waitFor()
      expect(await at.page.getByRole('button', { name: 'Create' }).count()).toBe(0)
      expect(await at.axe()).toEqual([])
    },
    hangMs,
  )
})

const ends = daysAgo(-20)

/** The segments of the test: key, rule, and the start of the sentence about ada. */
const segments: readonly (readonly [key: string, rule: Rule, said: string])[] = [
  ['everybody', { everyone: true }, ': everybody.'],
  [
    'nobody',
    { not: { everyone: true } },
    'Nothing that can be recorded would bring them in: everybody is in.',
  ],
  [
    'paid',
    { property: '/plan', is: { eq: 'paid' } },
    'A change after which plan is "paid" would do.',
  ],
  ['trial', { property: '/plan', is: { eq: 'trial' } }, ': plan is "trial".'],
  [
    'long-trial',
    { property: '/plan', is: { eq: 'trial' }, for: '14d' },
    'If nothing else happens, they enter on',
  ],
  ['ending', { property: '/ends', is: { before: { ahead: '30d' } } }, `ends is "${ends}`],
  ['fresh', { created: { after: { ago: '7d' } } }, 'If nothing else happens, they leave on'],
  ['old', { created: { before: '2020-01-01' } }, 'when they were created never changes'],
  ['buyers', { event: 'buy', within: '90d' }, '3 buy events in the last 90 days'],
  [
    'sleepers',
    { not: { event: 'buy', within: '30d' } },
    '2 buy events in the last 30 days, and the rule asks for none.',
  ],
  [
    'readers',
    { event: 'read', within: '90d' },
    '0 of 1 read event in the last 90 days. One read event would do.',
  ],
  ['late', { event: 'delivered', last: { '/late': { eq: true } } }, 'the last delivered event,'],
  [
    'on-time',
    { event: 'delivered', last: { '/late': { eq: false } } },
    'A newer delivered event that passes',
  ],
  ['all-drawn', { bucket: { salt: 'a', below: 100 } }, 'among a fixed 100 % of everybody'],
  ['none-drawn', { bucket: { salt: 'a', below: 0 } }, 'the share is drawn by the id'],
  ['in-both', { all: [{ segment: 'trial' }, { segment: 'buyers' }] }, 'in trial; in buyers.'],
  [
    'in-any',
    { any: [{ segment: 'paid' }, { segment: 'readers' }] },
    'Entering paid or entering readers',
  ],
]

describe('explanations in the console', () => {
  itInChromium(
    'describe every kind of rule in a sentence and as a tree, for members and others',
    async () => {
      const at = await open()
      const { page, client } = at
      await client.entities.create('ada', { properties: { plan: 'trial', ends } })
      for (const days of [40, 12, 3]) {
        await client.entities.record('ada', { name: 'buy', occurred_at: daysAgo(days) })
      }
      await client.entities.record('ada', { name: 'delivered', properties: { late: true } })
      for (const [key, rule] of segments) {
        await client.segments.define(key, { title: key, kind: 'rule', rule })
      }
      await client.segments.define('friends', { title: 'Friends', kind: 'hand' })
      await client.segments.add(
        'friends',
        'ada',
        { reason: '<i>fair</i>' },
        { requestId: 'by-lin' },
      )
      await at.enter('#/people/ada')
      for (const [key, , said] of segments) {
        await at.go(`#/people/ada/why/${key}`)
        await page.locator('.verdict', { hasText: said }).waitFor()
        await page.locator('.why-tree li').first().waitFor()
      }
      expect(await at.axe()).toEqual([])
      await at.go('#/people/ada/why/sleepers')
      await page.locator('.why-tree a').first().waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('why')
      // A link from a fact opens the timeline at that fact, which is the newest.
      await page.locator('.why-tree a').first().click()
      await page.locator('.entry.picked', { hasText: 'buy' }).waitFor()
      await page.getByRole('button', { name: 'Why in a segment?' }).click()
      await page.getByRole('menuitem', { name: 'friends' }).click()
      await page.getByRole('cell', { name: 'added' }).waitFor()
      await page.getByRole('cell', { name: '<i>fair</i>' }).waitFor()
      await page.getByRole('cell', { name: 'by-lin' }).waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('why-by-hand')
      await at.go('#/people/ada/why/unheard-of')
      await page.getByText('There is no segment with this key.').waitFor()
    },
    hangMs,
  )
})

describe('writing by hand in the console', () => {
  itInChromium(
    'is impossible with a key that can only read, which sees no forms',
    async () => {
      const at = await open()
      const { page } = at
      await at.client.entities.create('ada', { properties: { plan: 'free' } })
      await at.client.entities.record('ada', { name: 'buy' })
      const key = await newKey(at, 'reader', ['read'])
      await at.enter('#/people/ada', key)
      await page.locator('.property', { hasText: 'free' }).waitFor()
      await page.locator('.entry', { hasText: 'buy' }).waitFor()
      await page.getByText('read only').waitFor()
      await page.getByText('This key may only read').waitFor()
      const names = ['Unlock', 'Record an event', 'More actions', 'Edit', 'Add', 'Void']
      for (const name of names) expect(await page.getByRole('button', { name }).count()).toBe(0)
      expect(await at.axe()).toEqual([])
      await at.go('#/people/nobody')
      await page.getByText('Nobody is called nobody').waitFor()
      expect(await page.getByRole('button', { name: 'Create' }).count()).toBe(0)
    },
    hangMs,
  )

  itInChromium(
    'stores an event, an edited property and a member once the tab is unlocked, and shows them immediately',
    async () => {
      const at = await open()
      const { page } = at
      const properties = { plan: 'free', seats: 3, vip: false, address: { city: 'Oslo' } }
      await at.client.entities.create('ada', { properties })
      await at.client.segments.define('friends', { title: 'Friends', kind: 'hand' })
      await at.enter('#/people/ada')
      await page.getByRole('button', { name: 'Record an event' }).click()
      const record = page.getByRole('button', { name: 'Record', exact: true })
      expect(await record.isDisabled()).toBe(true)
      await page.getByRole('button', { name: 'Allow changes in this tab' }).click()

      await page.getByLabel('Event name').fill('buy')
      await page.getByLabel('Properties (JSON)').fill('{"total": ')
      await page.getByText('This is not JSON').waitFor()
      await page.getByLabel('Properties (JSON)').fill('{"total": 12}')
      await page.getByLabel('Happened at').fill('tomorrow')
      await record.click()
      await page.getByText('Nothing was stored. The fields say why.').waitFor()
      expect(await page.locator('[aria-invalid="true"]').count()).toBe(1)
      expect(await at.axe()).toEqual([])
      await at.take('by-hand')
      await page.getByLabel('Happened at').fill('2026-01-02 03:04')
      await record.click()
      await page.getByText('Stored at').waitFor()
      // Pressing the button again sends nothing, because the form is empty.
      await expectValue(page.getByLabel('Event name'), '')
      await record.click()
      await page.getByRole('button', { name: 'Close' }).click()
      await page.locator('.entry', { hasText: 'buy' }).filter({ hasText: '03:04' }).waitFor()
      const { items } = await at.client.entities.events('ada').page()
      expect(items.map((item) => [item.occurred_at, item.properties])).toEqual([
        ['2026-01-02T03:04:00.000Z', { total: 12 }],
      ])

      await page.getByRole('button', { name: 'Edit seats' }).click()
      await page.getByLabel('Value of seats').fill('many')
      await page.getByText('This is not a number.').waitFor()
      await page.getByLabel('Value of seats').fill('4')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('.property', { hasText: 'seats4' }).waitFor()
      await page.getByRole('button', { name: 'Edit address' }).click()
      await page.getByLabel('Value of address').fill('{"city": "Rome"}')
      expect(await at.axe()).toEqual([])
      await at.take('edit-property')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('.property', { hasText: 'Rome' }).waitFor()
      await page.getByRole('button', { name: 'Edit plan' }).click()
      await page.getByRole('button', { name: 'Remove' }).click()
      await page.locator('.property', { hasText: 'plan' }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByLabel('Name').fill('tags')
      await page.getByLabel('Type').selectOption('JSON')
      await page.getByRole('textbox', { name: 'Value' }).fill('["new"]')
      await page.getByRole('button', { name: 'Set', exact: true }).click()
      await page.locator('.property', { hasText: 'tags' }).waitFor()
      const profile = await at.client.entities.get('ada')
      expect(profile.properties).toEqual({
        ...{ seats: 4, vip: false, address: { city: 'Rome' }, tags: ['new'] },
      })

      // A change with an earlier time than the current value is stored, and the value stays.
      await page.getByRole('button', { name: 'Edit seats' }).click()
      await page.getByLabel('Value of seats').fill('2')
      await page.getByRole('button', { name: 'At another time' }).click()
      await page.getByLabel('Changed at').fill('2025-12-01')
      await page.getByText('The current value is newer, so it stays.').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('edit-earlier')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByLabel('Value of seats').waitFor({ state: 'detached' })
      await page.locator('.property', { hasText: 'seats4' }).waitFor()
      await page.locator('.entry', { hasText: 'too late for seats' }).waitFor()

      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Add to a segment' }).click()
      await page.getByLabel('Segment by hand').selectOption('friends')
      await page.getByLabel('Reason').fill('met at the fair')
      await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByText('Stored at').waitFor()
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('link', { name: 'Why in friends' }).click()
      await page.getByText('met at the fair').waitFor()
    },
    hangMs,
  )
})

describe('voiding in the console', () => {
  itInChromium(
    'takes an event out of the timeline behind a question, and shows voided events when asked to',
    async () => {
      const at = await open()
      const { page } = at
      await at.client.entities.create('ada')
      await at.client.segments.define('buyers', {
        ...{ title: 'Buyers', kind: 'rule', rule: { event: 'buy' } },
      })
      await at.client.entities.record('ada', { name: 'buy', properties: { total: 12 } })
      await at.client.entities.record('ada', { name: 'visit' })
      await at.enter('#/people/ada')
      const line = page.locator('.entry', { hasText: 'total 12' })
      await page.getByRole('link', { name: 'Why in buyers' }).waitFor()
      await page.getByRole('button', { name: 'Void buy' }).click()
      const dialog = page.getByRole('dialog', { name: 'Void buy?' })
      const confirm = dialog.getByRole('button', { name: 'Void the event' })
      expect(await confirm.isDisabled()).toBe(true)
      await dialog.getByRole('button', { name: 'Allow changes in this tab' }).click()
      await dialog.getByLabel('Reason').fill('x'.repeat(256))
      await confirm.click()
      await page.locator('[aria-invalid="true"]').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('void')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await line.count()).toBe(1)

      await page.getByRole('button', { name: 'Void buy' }).click()
      await dialog.getByLabel('Reason').fill('recorded twice')
      await confirm.click()
      await line.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Why not in buyers' }).waitFor()
      await page.locator('.entry', { hasText: 'left buyers · a voided event' }).waitFor()
      await page.getByText('1 event', { exact: true }).first().waitFor()
      await page.getByLabel('Show voided events').check()
      await line.locator('.chip', { hasText: 'voided' }).waitFor()
      await line.getByText(/^Voided .*: recorded twice$/).waitFor()
      expect(await page.getByRole('button', { name: 'Void buy' }).count()).toBe(0)
      expect(await page.getByRole('button', { name: 'Void visit' }).count()).toBe(1)
      expect(await at.axe()).toEqual([])
      await at.take('person-voided')
      await page.getByLabel('Show voided events').uncheck()
      await line.waitFor({ state: 'detached' })
    },
    900_000,
  )

  itInChromium(
    'says what to do when the service cannot void the event',
    async () => {
      const at = await open()
      const { page } = at
      await at.client.entities.create('ada')
      await at.client.entities.record('ada', { name: 'buy' })
      await at.enter('#/people/ada')
      await at.unlock()
      const errors = [
        [409, 'not_ready', 'Set VOID=on in every process'],
        [503, 'read_model_behind', 'The service is catching up with the newest writes. Try again'],
        [404, 'event_not_found', 'This person has no such event any more.'],
      ] as const
      await page.getByRole('button', { name: 'Void buy' }).click()
      const confirm = page.getByRole('button', { name: 'Void the event' })
      for (const [status, code, said] of errors) {
        const error = { code, message: 'No.', details: [], request_id: 'r' }
        await page.route('**/entities/ada/events/*', (route) =>
          route.fulfill({ status, json: { error } }),
        )
        await confirm.click()
        await page.getByRole('dialog').getByText(said).waitFor()
        expect(await at.axe()).toEqual([])
        if (code === 'not_ready') await at.take('void-not-ready')
        await page.unroute('**/entities/ada/events/*')
      }
      await confirm.click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    },
    900_000,
  )
})
