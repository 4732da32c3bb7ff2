import { describe, expect } from '@jest/globals'
import { itInChromium } from '../support/client/chromium.js'
import { openedConsoles, refusedReply } from '../support/console/opened-console.js'

const open = openedConsoles()

describe('the sign-in of the console', () => {
  itInChromium(
    'reports an invalid key, and accepts a valid one',
    async () => {
      const at = await open()
      at.expected.push(refusedReply)
      await at.page.goto(`${at.service.origin}/console#/now`)
      await at.page.getByLabel('API key').fill('wrong')
      await at.page.getByRole('button', { name: 'Sign in' }).click()
      await at.page.getByText('This key is not valid.').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('door')
      await at.page.getByLabel('API key').fill(at.service.key)
      await at.page.getByRole('button', { name: 'Sign in' }).click()
      await at.page.getByRole('heading', { name: 'Now', exact: true }).waitFor()
    },
    60_000,
  )

  itInChromium(
    'keeps a key over a reload only if told to, and never in an address',
    async () => {
      const at = await open()
      await at.enter()
      await at.page.reload()
      await at.page.getByLabel('API key').waitFor()
      await at.page.getByLabel('Keep for this tab').check()
      await at.page.getByLabel('API key').fill(at.service.key)
      await at.page.getByRole('button', { name: 'Sign in' }).click()
      await at.page.getByRole('navigation').waitFor()
      await at.page.reload()
      await at.page.getByRole('navigation').waitFor()
      expect(at.page.url()).not.toContain(at.service.key)
      expect(await at.page.evaluate('localStorage.length + document.cookie.length')).toBe(0)
      await at.page.getByRole('button', { name: 'Sign out' }).click()
      await at.page.reload()
      await at.page.getByLabel('API key').waitFor()
    },
    60_000,
  )

  itInChromium(
    'forgets the key after half an hour without activity',
    async () => {
      const at = await open()
      await at.page.clock.install()
      await at.enter('#/')
      await at.page.clock.fastForward('31:00')
      await at.page.getByText('Nobody touched the page for 30 minutes').waitFor()
    },
    60_000,
  )

  itInChromium(
    'is not served when CONSOLE is off',
    async () => {
      const at = await open({ CONSOLE: 'off' })
      expect((await fetch(`${at.service.origin}/console`)).status).toBe(404)
    },
    60_000,
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
        await at.page.getByRole('heading', { name: 'People' }).waitFor()
      }
    },
    60_000,
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
      await at.page.getByRole('searchbox').waitFor()
    },
    60_000,
  )
})

describe('the search box of the console', () => {
  itInChromium(
    'creates the first entity, and finds entities by their names',
    async () => {
      const at = await open()
      await at.enter()
      await at.page.getByRole('heading', { name: 'Nobody is here yet' }).waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('empty')
      await at.unlock()
      await at.page.getByRole('button', { name: 'Create ada' }).click()
      await at.page.getByText('is here now, with a first event').waitFor()
      await at.client.entities.create('adam', { properties: { email: 'adam@example.org' } })
      const box = at.page.getByRole('searchbox')
      await box.fill('ad')
      await box.press('Enter')
      await at.page.getByRole('link', { name: 'adam' }).waitFor()
      await at.page.getByText('Called exactly “ad”: nobody').waitFor()
      await at.take('find')
      expect(await at.axe()).toEqual([])
      await box.fill('adam@example.org')
      await box.press('Enter')
      await at.page.waitForURL(/#\/people\/adam$/)
    },
    60_000,
  )
})

describe('the live view of the console', () => {
  itInChromium(
    'shows each fact and each refusal as it arrives, and resumes without a gap after a pause',
    async () => {
      const at = await open()
      at.expected.push(refusedReply)
      await at.enter('#/now')
      await at.page.getByText('live', { exact: true }).waitFor()
      await at.client.entities.create('ada', {
        properties: { note: '<img src=x onerror=alert(1)>' },
      })
      await at.page.getByRole('cell', { name: 'person created' }).first().waitFor()
      await at.client.entities.create('', {}).catch(() => undefined)
      await at.page.getByText('validation_failed').waitFor()
      await at.page.getByText('/external_id').waitFor()
      await at.page.getByText('The request breaks the rules that the details list.').waitFor()
      await at.page.getByText('in the last minute: 1').waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('now')
      await at.page.getByRole('button', { name: 'Pause' }).click()
      await at.page.getByText('paused: it goes on where it stopped').waitFor()
      for (let event = 0; event < 20; event += 1)
        await at.client.entities.record('ada', { name: `e${String(event)}` })
      expect(await at.page.getByRole('cell', { name: 'event recorded' }).count()).toBe(0)
      await at.page.getByRole('button', { name: 'Go on' }).click()
      await at.page.getByText('"e19"').waitFor()
      expect(await at.page.getByRole('row').filter({ hasText: 'entity-ada' }).count()).toBe(0)
      expect(
        await at.page
          .locator('td.data')
          .filter({ hasText: /"e[0-9]+"/ })
          .count(),
      ).toBe(20)
    },
    60_000,
  )

  itInChromium(
    'resumes by itself after the service was away, and returns to the sign-in when the key is revoked',
    async () => {
      const at = await open({ API_KEY: 'the-only-key-0123456789' })
      at.expected.push(refusedReply, /^console Failed to load resource: net::ERR/)
      await at.enter('#/now', 'the-only-key-0123456789')
      await at.page.getByText('live', { exact: true }).waitFor()
      at.service.signal('SIGKILL')
      await at.service.ended
      await at.page.getByText('The service does not answer.').first().waitFor()
      const env = { PORT: String(at.service.port) }
      const again = await at.again({ ...env, API_KEY: 'the-only-key-0123456789' })
      await at.page.getByText('live', { exact: true }).waitFor()
      await at.page.getByText('takes writes').waitFor()
      again.signal('SIGKILL')
      await again.ended
      const other = await at.again({ ...env, API_KEY: 'another-key-0123456789' })
      await at.page.getByText('This key is not valid any more.').waitFor()
      expect(at.page.url()).toMatch(/#\/now$/)
      other.signal('SIGKILL')
      await other.ended
    },
    120_000,
  )
})
