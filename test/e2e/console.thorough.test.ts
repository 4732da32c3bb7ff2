import { describe, expect } from '@jest/globals'
import { hangMs, itInChromium } from '../support/client/chromium.js'
import { openedConsoles, refusedReply } from '../support/console/opened-console.js'

const open = openedConsoles()

describe('the sign-in of the console', () => {
  itInChromium(
    'reports an invalid key, and accepts a valid one',
    async () => {
      const at = await open()
      at.expected.push(refusedReply)
      await at.page.goto(`${at.service.origin}/console#/live`)
      await at.page.getByLabel('API key').fill('wrong')
      await at.page.getByRole('button', { name: 'Sign in' }).click()
      await at.page.getByText('This key is not valid.').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('sign-in')
      await at.page.getByLabel('API key').fill(at.service.key)
      await at.page.getByRole('button', { name: 'Sign in' }).click()
      await at.page.getByRole('heading', { name: 'Live', exact: true }).waitFor()
    },
    hangMs,
  )

  itInChromium(
    'keeps a key over a reload only if told to, and never in an address',
    async () => {
      const at = await open()
      const pages = at.page.getByRole('navigation', { name: 'Pages' })
      await at.enter()
      await at.page.reload()
      await at.page.getByLabel('API key').waitFor()
      await at.page.getByLabel('Keep for this tab').check()
      await at.page.getByLabel('API key').fill(at.service.key)
      await at.page.getByRole('button', { name: 'Sign in' }).click()
      await pages.waitFor()
      await at.page.reload()
      await pages.waitFor()
      expect(at.page.url()).not.toContain(at.service.key)
      expect(await at.page.evaluate('localStorage.length + document.cookie.length')).toBe(0)
      await at.page.getByRole('button', { name: /^Key / }).click()
      expect(await at.axe()).toEqual([])
      await at.page.getByRole('menuitem', { name: 'Sign out' }).click()
      await at.page.reload()
      await at.page.getByLabel('API key').waitFor()
    },
    hangMs,
  )

  itInChromium(
    'forgets the key after half an hour without activity',
    async () => {
      const at = await open()
      await at.page.clock.install()
      await at.enter('#/')
      await at.page.clock.fastForward('31:00')
      await at.page.getByText('Nobody used the page for 30 minutes').waitFor()
    },
    hangMs,
  )

  itInChromium(
    'is not served when CONSOLE is off',
    async () => {
      const at = await open({ CONSOLE: 'off' })
      expect((await fetch(`${at.service.origin}/console`)).status).toBe(404)
    },
    hangMs,
  )
})

describe('the frame of the console', () => {
  itInChromium(
    'reports an address without a view, whatever its name',
    async () => {
      const at = await open()
      await at.enter()
      for (const name of ['constructor', '__proto__', 'toString', 'nothing']) {
        await at.page.evaluate(`location.hash = '#/${name}'`)
        await at.page.getByText('There is nothing at this address.').waitFor()
        await at.page.evaluate(`location.hash = '#/people'`)
        await at.page.getByRole('heading', { name: 'People', exact: true }).waitFor()
      }
    },
    hangMs,
  )

  itInChromium(
    'shows an error of the page instead of waiting forever, and recovers when asked',
    async () => {
      const at = await open()
      at.expected.push(/boom/)
      await at.enter()
      await at.page.evaluate(`void Promise.reject(new TypeError('boom'))`)
      await at.page.getByText('TypeError: boom').waitFor()
      await at.page.getByRole('button', { name: 'Show the page again' }).click()
      await at.page.getByRole('heading', { name: 'Overview' }).waitFor()
    },
    hangMs,
  )

  itInChromium(
    'leads to every page, also in a narrow window, where the header is one row',
    async () => {
      const at = await open()
      const { page } = at
      await at.enter()
      const links = page.getByRole('navigation', { name: 'Pages' })
      const titles = ['People', 'Live', 'Refusals', 'Data', 'Settings']
      for (const name of [...titles, 'Overview']) {
        await links.getByRole('link', { name, exact: true }).click()
        await page.getByRole('heading', { name, exact: true }).first().waitFor()
        expect(await at.axe()).toEqual([])
      }
      await page.setViewportSize({ width: 400, height: 800 })
      for (const name of ['Live', 'People'])
        await links.getByRole('link', { name, exact: true }).click()
      await page.getByRole('button', { name: 'More pages' }).click()
      await page.getByRole('menuitem', { name: 'Settings' }).click()
      await page.getByRole('heading', { name: 'Settings' }).waitFor()
      expect((await page.locator('header.top').boundingBox())?.height).toBe(52)
      expect(await page.evaluate('document.body.scrollWidth <= innerWidth')).toBe(true)
    },
    hangMs,
  )

  itInChromium(
    'copies the request of a page as curl, without the key',
    async () => {
      const at = await open()
      await at.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await at.enter('#/data')
      await at.page.getByRole('button', { name: 'Copy' }).click()
      // The message disappears after a moment, so the test looks for it before it presses.
      await Promise.all([
        at.page.getByText('curl command copied').waitFor(),
        at.page.getByRole('menuitem', { name: 'As curl' }).click(),
      ])
      const copied = String(await at.page.evaluate('navigator.clipboard.readText()'))
      expect(copied).toContain(`'${at.service.origin}/dictionary'`)
      expect(copied).not.toContain(at.service.key)
    },
    hangMs,
  )
})

describe('the overview of the console', () => {
  itInChromium(
    'counts people and events, and follows new ones without a reload',
    async () => {
      const at = await open()
      at.expected.push(refusedReply)
      await at.client.entities.create('ada')
      await at.client.entities.record('ada', { name: 'buy' })
      await at.enter()
      await at.page.getByRole('figure', { name: 'Events per day' }).waitFor()
      await at.page.locator('.legend', { hasText: 'buy 1' }).waitFor()
      await at.page.getByText('Show as a table').first().click()
      await at.page.getByRole('columnheader', { name: 'buy' }).waitFor()
      expect(await at.axe()).toEqual([])
      await at.client.entities.record('ada', { name: 'buy' })
      await at.client.entities.record('', { name: 'buy' }).catch(() => undefined)
      await at.page.locator('.legend', { hasText: 'buy 2' }).waitFor()
      await at.page.getByRole('link', { name: '1 of them: validation_failed' }).click()
      await at.page.waitForURL(/#\/refusals\?code=validation_failed$/)
    },
    hangMs,
  )
})

describe('the search box of the console', () => {
  itInChromium(
    'finds people by id, by the beginning of an id, and by any property of them or of their events',
    async () => {
      const at = await open()
      const { page, client } = at
      await client.entities.create('ada', { properties: { email: 'ada@example.org' } })
      await client.entities.create('adam')
      await client.entities.record('adam', { name: 'buy', properties: { invoice: '539587' } })
      await at.enter()
      const search = async (text: string) => {
        await page.keyboard.press('/')
        await page.keyboard.type(text)
        await page.keyboard.press('Enter')
      }
      await search('ad')
      await page.locator('.hits').getByRole('link', { name: 'adam' }).waitFor()
      await page.getByText('No property is exactly this text.').waitFor()
      await search('539587')
      await page.getByRole('cell', { name: 'adam' }).waitFor()
      await page.getByText('looked at 2 of 2 people').waitFor()
      await at.take('search')
      expect(await at.axe()).toEqual([])
      await page.getByRole('link', { name: /^buy · invoice/ }).click()
      await page.locator('.entry.picked', { hasText: '539587' }).waitFor()
      await search('ada@example.org')
      await page.getByRole('cell', { name: 'ada', exact: true }).waitFor()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('ada')
      await page.keyboard.press('Enter')
      await page.waitForURL(/#\/people\/ada$/)
      // Going back leads to the page before the search.
      await page.goBack()
      await page.waitForURL(/q=ada%40example.org$/)
    },
    hangMs,
  )
})

describe('the live view of the console', () => {
  itInChromium(
    'shows each fact as it arrives, and resumes without a gap after a pause',
    async () => {
      const at = await open()
      await at.enter('#/live')
      await at.page.getByText('live', { exact: true }).waitFor()
      await at.client.entities.create('ada', {
        properties: { note: '<img src=x onerror=alert(1)>' },
      })
      await at.page.locator('td.data', { hasText: 'created' }).first().waitFor()
      await at.page.getByRole('button', { name: 'Show the JSON' }).first().click()
      await at.page.locator('pre', { hasText: '"external_id": "ada"' }).waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('live')
      await at.page.getByRole('button', { name: 'Pause' }).click()
      await at.page.getByText('paused: continues without a gap').waitFor()
      for (let event = 0; event < 20; event += 1)
        await at.client.entities.record('ada', { name: `e${String(event)}` })
      const events = at.page.locator('td.data').filter({ hasText: /^e[0-9]+/ })
      expect(await events.count()).toBe(0)
      await at.page.getByRole('button', { name: 'Continue' }).click()
      await at.page.locator('td.data').filter({ hasText: 'e19' }).waitFor()
      expect(await events.count()).toBe(20)
    },
    hangMs,
  )

  itInChromium(
    'resumes by itself after the service was away, and returns to the sign-in when the key is revoked',
    async () => {
      const at = await open({ API_KEY: 'the-only-key-0123456789' })
      at.expected.push(refusedReply, /^console Failed to load resource: net::ERR/)
      await at.enter('#/live', 'the-only-key-0123456789')
      await at.page.getByText('live', { exact: true }).waitFor()
      at.service.signal('SIGKILL')
      await at.service.ended
      await at.page.getByText('The state of the service is unknown.').waitFor()
      const env = { PORT: String(at.service.port) }
      const again = await at.again({ ...env, API_KEY: 'the-only-key-0123456789' })
      await at.page.getByText('live', { exact: true }).waitFor()
      await at.page.getByText('Everything is up to date').waitFor()
      again.signal('SIGKILL')
      await again.ended
      const other = await at.again({ ...env, API_KEY: 'another-key-0123456789' })
      await at.page.getByText('This key is not valid any more.').waitFor()
      expect(at.page.url()).toMatch(/#\/live$/)
      other.signal('SIGKILL')
      await other.ended
    },
    hangMs,
  )
})

describe('the refusals of the console', () => {
  itInChromium(
    'are listed as they happen with their faults and request ids, and filtered by code',
    async () => {
      const at = await open()
      at.expected.push(refusedReply)
      const { page, client } = at
      // The page counts the refusals of the last minute. The test may take longer.
      await page.clock.setFixedTime(new Date())
      await at.enter('#/refusals')
      await page.getByText('This process has refused nothing.').waitFor()
      await client.entities.create('', {}, { requestId: 'from-shop' }).catch(() => undefined)
      await client.entities.record('nobody', { name: 'buy' }).catch(() => undefined)
      await page.getByRole('cell', { name: 'from-shop' }).waitFor()
      await page.getByText('/external_id').waitFor()
      await page.getByText('2 requests refused in the last minute').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('refusals')
      await page.getByRole('link', { name: 'entity_not_found' }).click()
      await page.getByRole('cell', { name: 'from-shop' }).waitFor({ state: 'detached' })
      await page.getByText('1 request refused in the last minute').waitFor()
      await page.getByRole('link', { name: 'Show all' }).click()
      await page.getByRole('cell', { name: 'from-shop' }).waitFor()
    },
    hangMs,
  )
})

describe('the data of the console', () => {
  itInChromium(
    'names the events and properties that exist, and begins a rule with one',
    async () => {
      const at = await open()
      const { page, client } = at
      await at.enter('#/data')
      await page.getByText('No event was recorded yet').waitFor()
      await client.entities.create('ada', {
        properties: { plan: 'paid', address: { city: 'Oslo' } },
      })
      await client.entities.record('ada', { name: 'buy', properties: { total: 12, 'a/b': [1] } })
      await page.reload()
      await at.enter('#/data')
      await page.getByRole('cell', { name: 'address.city' }).waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('data')
      await page.getByRole('link', { name: 'buy' }).click()
      await page.getByRole('row', { name: /a\/b .* array/ }).waitFor()
      await page.getByRole('link', { name: 'New segment' }).first().click()
      await page.waitForURL(/#\/segments\/%2B\?event=buy$/)
    },
    hangMs,
  )
})
