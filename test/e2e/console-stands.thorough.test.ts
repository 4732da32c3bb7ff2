import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect } from '@jest/globals'
import { readOptions } from '../../examples/online-retail/options.js'
import { runClient } from '../../examples/online-retail/run-client.js'
import { shopSegments } from '../../examples/online-retail/shop-segments.js'
import { createKey } from '../../src/adapters/api-keys/manage-keys.js'
import { hangMs, itInChromium } from '../support/client/chromium.js'
import { expectValue } from '../support/console/expect-value.js'
import {
  openedConsoles,
  refusedReply,
  type OpenedConsole,
} from '../support/console/opened-console.js'
import { nextLook } from '../support/next-look.js'

const open = openedConsoles()
let proxy: Server | undefined
afterEach(() => {
  const before = proxy
  proxy = undefined
  before?.closeAllConnections()
  before?.close()
})

const dayMs = 86_400_000
const markup = '<img src=x onerror="complain(\'ran\')"><script>complain("ran")</script>'
const hostile = [
  markup,
  "javascript:complain('ran')",
  'a/b|c%2Fd#e?f&g=h',
  '%',
  '\u202eada\u202c',
  'עדה\u200f א',
  '"\'`${1}{{1}}',
  '__proto__',
]

describe('the console', () => {
  itInChromium(
    'shows customer data only as text, whatever it contains',
    async () => {
      const at = await open({ BODY_LIMIT: '1048576' })
      at.expected.push(refusedReply)
      const { entities, segments } = at.client
      const rule = { event: 'buy' }
      await segments.define('buyers', { title: markup, kind: 'rule', rule })
      await at.enter('#/live')
      for (const [number, id] of hostile.entries()) {
        const properties = {
          [`p ${id}`]: id,
          url: "javascript:complain('ran')",
          control: `\u0000\u001b[31m${markup}\n\u2028`,
        }
        await entities.create(id, { properties })
        await entities.record(id, { name: id, properties })
        if (number % 2 === 0) await entities.record(id, { name: 'buy', properties })
        await entities.record(markup, { name: `${id} by ${id}` }).catch(() => undefined)
      }
      await entities.record('nobody', { name: markup }).catch(() => undefined)
      const data = at.page.locator('td.data')
      await data.filter({ hasText: '__proto__' }).first().waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('live-hostile')
      for (const [page, seen] of [
        ['#/', '.legend'],
        ['#/refusals', 'td code'],
        ['#/data', 'td a.id'],
        [`#/data/${encodeURIComponent(markup)}`, 'table'],
      ] as const) {
        await at.go(page)
        await at.page.locator(`main ${seen}`).first().waitFor()
        expect(await at.axe()).toEqual([])
      }
      for (const id of hostile) {
        const address = `#/people/${encodeURIComponent(id)}`
        await at.page.getByRole('searchbox').fill(id)
        await at.page.getByRole('searchbox').press('Enter')
        await at.page.waitForURL((url) => url.hash.startsWith(address))
        await at.page
          .locator('h1')
          .filter({ hasText: shown(id) })
          .waitFor()
        await at.page.locator('.property').filter({ hasText: 'complain' }).first().waitFor()
        await at.go(`${address}/why/buyers`)
        await at.page.locator('h1').filter({ hasText: '<img src=x' }).waitFor()
        await at.page
          .locator('.head a.id')
          .filter({ hasText: shown(id) })
          .waitFor()
      }
      expect(await at.page.locator('img, script:not([src]), iframe, object').count()).toBe(0)
    },
    hangMs,
  )

  itInChromium(
    'shows the beginning of a value of nearly 1 MiB, and limits its memory when many arrive',
    async () => {
      const at = await open({ BODY_LIMIT: '1048576' })
      await at.enter('#/live')
      await at.page.getByText('live', { exact: true }).waitFor()
      const properties = { long: 'x'.repeat(1_000_000) }
      await at.client.entities.create('ada', { properties })
      for (let event = 0; event < 120; event += 1)
        await at.client.entities.record('ada', { name: `e${String(event)}` })
      for (let event = 0; event < 8; event += 1)
        await at.client.entities.record('ada', { name: 'long', properties })
      const data = at.page.locator('td.data')
      await data.filter({ hasText: 'xxx' }).nth(7).waitFor()
      expect(await data.count()).toBe(100)
      const openers = at.page.getByRole('button', { name: 'Show the JSON' })
      for (let opened = 0; opened < 8; opened += 1) await openers.first().click()
      await at.page.locator('pre').nth(7).waitFor()
      const characters = await at.page.evaluate('document.body.innerText.length')
      expect(characters).toBeLessThan(100_000)
      await at.go('#/people/ada')
      await at.page.locator('.property').filter({ hasText: 'xxx' }).waitFor()
      expect(await at.page.evaluate('document.body.innerText.length')).toBeLessThan(100_000)
    },
    hangMs,
  )

  itInChromium(
    'shows the orders of a real shop in every view, light and dark, wide and narrow',
    async () => {
      const at = await open()
      at.expected.push(refusedReply)
      const remark = () => undefined
      const progressOf = () => ({ done: remark, stop: remark })
      const args = ['--url', at.service.origin, '--until-yesterday']
      const options = readOptions(args, { DOSSIER_KEY: at.service.key })
      if (options === undefined) throw new TypeError('no help was asked for')
      await runClient(options, { progressOf, remark })
      const { segments, entities } = at.client
      for (const { key, ...definition } of shopSegments) await segments.define(key, definition)
      await entities.record('unknown', { name: 'purchase' }).catch(remark)
      await at.enter('#/live')
      await at.page.getByText('live', { exact: true }).waitFor()
      const id = '14298'
      const set = { plan: 'wholesale', credit_limit: 5_000, address: { city: 'Leeds' } }
      await entities.update(id, { set })
      for (const [name, address, seen] of [
        ['overview', '#/', '.legend'],
        ['people', '#/people', 'td a.id'],
        ['search', '#/people?q=539587', 'td a.id'],
        ['person', `#/people/${id}`, '.entry'],
        [
          'person-as-of',
          `#/people/${id}?as_of=${new Date(Date.now() - dayMs).toISOString()}`,
          '.entry',
        ],
        ['why', `#/people/${id}/why/win-back`, '.part'],
        ['segments', '#/segments', 'td a.id'],
        ['segment', '#/segments/big-spenders', '.preview .figure'],
        ['segment-members', '#/segments/big-spenders/members', 'td a.id'],
        ['segment-versions', '#/segments/big-spenders/versions', 'details'],
        ['live', '#/live', 'td.data'],
        ['refusals', '#/refusals', 'td code'],
        ['data', '#/data', 'td a.id'],
        ['settings', '#/settings', '.pairs .good'],
      ] as const) {
        await at.go(address)
        await at.page.locator(`main ${seen}`).first().waitFor()
        for (const colorScheme of ['light', 'dark'] as const) {
          await at.page.emulateMedia({ colorScheme })
          expect([name, colorScheme, await at.axe()]).toEqual([name, colorScheme, []])
        }
        await at.take(`shop-${name}`)
      }
      // Takes the picture of the README, docs/console.png.
      await at.page.setViewportSize({ width: 1_280, height: 800 })
      await at.go(`#/people/${id}`)
      await at.page.locator('.entry').first().waitFor()
      await at.page.screenshot({ path: '.build/pictures/readme.png' })
    },
    hangMs,
  )

  itInChromium(
    'closes its stream 30 seconds after its tab was hidden, and resumes without a gap',
    async () => {
      const at = await open()
      let streams = 0
      let closed = 0
      const isStream = (url: string) => new URL(url).pathname === '/facts'
      at.page.on('request', (sent) => {
        if (isStream(sent.url())) streams += 1
      })
      at.page.on('requestfailed', (sent) => {
        if (isStream(sent.url())) closed += 1
      })
      await at.page.clock.install()
      await at.enter('#/live')
      await at.page.getByText('live', { exact: true }).waitFor()
      expect([streams, closed]).toEqual([1, 0])
      await hide(at, true)
      const gone = at.page.waitForEvent('requestfailed', (sent) => isStream(sent.url()))
      await at.page.clock.fastForward('00:31')
      await gone
      for (let event = 0; event < 30; event += 1) {
        const upsert = true
        await at.client.entities.record('ada', { name: `e${String(event)}`, upsert })
      }
      expect(streams).toBe(1)
      await hide(at, false)
      await at.page.locator('td.data').filter({ hasText: 'e29' }).waitFor()
      expect(streams).toBe(2)
      const events = at.page.locator('td.data').filter({ hasText: /^e[0-9]+/ })
      expect(await events.count()).toBe(30)
    },
    hangMs,
  )

  itInChromium(
    'reports lagging reads and an overloaded service, and recovers by itself',
    async () => {
      const at = await open()
      at.expected.push(refusedReply)
      await at.client.entities.create('ada', { properties: { plan: 'paid' } })
      let code = 'read_model_behind'
      const json = () => ({ error: { code, message: 'Later.', details: [], request_id: 'r-1' } })
      await at.page.route('**/entities/**', (route) => route.fulfill({ status: 503, json: json() }))
      await at.enter('#/people/ada')
      await at.page.getByText('The service is catching up').first().waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('person-behind')
      expect(await at.page.getByText('No properties.').count()).toBe(0)
      code = 'overloaded'
      await at.page.getByText('The service has too much to do').first().waitFor()
      await at.page.unroute('**/entities/**')
      await at.page.locator('.property').filter({ hasText: 'paid' }).waitFor()
      await at.page.getByRole('alert').first().waitFor({ state: 'detached' })
    },
    hangMs,
  )

  itInChromium(
    'does not repeat a manual write, and marks problems of the service',
    async () => {
      const at = await open()
      at.expected.push(refusedReply)
      const json = {
        error: { code: 'overloaded', message: 'Later.', details: [], request_id: 'r' },
      }
      let sent = 0
      await at.client.entities.create('ada')
      await at.page.route('**/events', (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        sent += 1
        return route.fulfill({ status: 503, json })
      })
      await at.enter('#/people/ada')
      await at.unlock()
      await at.page.getByRole('button', { name: 'Record an event' }).click()
      await at.page.getByLabel('Event name').fill('buy')
      await at.page.getByRole('button', { name: 'Record', exact: true }).click()
      await at.page.getByText('too much to do just now. Try again in a moment.').waitFor()
      expect(await at.page.getByText('The page tries again by itself').count()).toBe(0)
      const once = sent
      await at.page.getByRole('button', { name: 'Close' }).click()
      await at.page.route('**/status', async (route) => {
        const reply = (await (await route.fetch()).json()) as { readonly data: object }
        const data = { ...reply.data, store: 'store_unavailable', reads: 'stalled' }
        await route.fulfill({ json: { ...reply, data } })
      })
      await at.go('#/settings')
      await at.page.locator('dd.bad', { hasText: 'cannot be reached' }).waitFor()
      await at.page.locator('dd.bad', { hasText: 'stopped' }).waitFor()
      await at.page.locator('.health .bad', { hasText: 'Writes fail' }).waitFor()
      expect(await at.axe()).toEqual([])
      await at.take('settings-bad')
      await at.page.unroute('**/status')
      await at.page.route('**/status', (route) => route.fulfill({ status: 503, json }))
      await at.page.getByText('the last state that was seen').waitFor()
      expect(await at.page.locator('.pairs .bad, .pairs .good').count()).toBe(0)
      await at.take('settings-unknown')
      expect(sent).toBe(once)
      await at.go('#/live')
      const person = at.page.getByLabel('Person', { exact: true })
      await person.pressSequentially('nobody-here', { delay: 60 })
      await expectValue(person, 'nobody-here')
      await person.press('Enter')
      await at.page.waitForURL(/person=nobody-here/)
      await expectValue(person, 'nobody-here')
    },
    hangMs,
  )

  itInChromium(
    'reports that this process answers no reads',
    async () => {
      const at = await open({ READ_MODEL: 'off' })
      at.expected.push(refusedReply)
      await at.enter('#/live')
      await at.page.getByText('Writes work; this process has no reads').waitFor()
      await at.page.getByText('its READ_MODEL is off').first().waitFor()
      await at.go('#/settings')
      await at.page.getByText('switched off in this process').waitFor()
      await at.go('#/people')
      await at.page.getByText('its READ_MODEL is off').first().waitFor()
      expect(await at.axe()).toEqual([])
    },
    hangMs,
  )

  itInChromium(
    'reports at sign-in that a key can only track',
    async () => {
      const at = await open()
      at.expected.push(refusedReply)
      await at.page.goto(`${at.service.origin}/console#/people/ada`)
      await at.page.getByLabel('API key').fill(await newKey(at, 'pages', 'track'))
      await at.page.getByRole('button', { name: 'Sign in' }).click()
      await at.page.getByText('This key may only track.').waitFor()
      expect(at.page.url()).toMatch(/#\/people\/ada$/)
    },
    hangMs,
  )

  itInChromium(
    'works under a path prefix of a proxy, and with the keyboard alone',
    async () => {
      const at = await open()
      await at.client.entities.create('ada', {})
      const origin = await openProxy(at.service.port)
      await at.page.goto(`${origin}/below/dossier/console#/live`)
      const { keyboard } = at.page
      await at.page.getByLabel('API key').focus()
      await keyboard.type(at.service.key)
      await keyboard.press('Enter')
      await at.page.getByText('live', { exact: true }).waitFor()
      await keyboard.press('/')
      await at.page.locator('input[type=search]:focus').waitFor()
      await keyboard.type('ada')
      await keyboard.press('Enter')
      await at.page.waitForURL(`${origin}/below/dossier/console#/people/ada`)
      await at.page.getByRole('heading', { name: 'Timeline' }).waitFor()
    },
    hangMs,
  )
})

/** Returns the id as the console shows it: invisible characters are replaced by visible marks. */
function shown(id: string): string {
  return id.replace(/\p{Cf}/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}

/** Makes the browser report that its tab is hidden. */
async function hide({ page }: OpenedConsole, isHidden: boolean): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, 'hidden', { value: ${String(isHidden)}, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`,
  )
}

/** Creates a key, and waits until the running service accepts it, within two seconds. */
async function newKey({ service }: OpenedConsole, name: string, scope: 'track'): Promise<string> {
  const { key } = createKey(`${service.folder}/data/api-keys.json`, name, [scope])
  const headers = { authorization: `Bearer ${key}` }
  while ((await fetch(`${service.origin}/key`, { headers })).status === 401) await nextLook()
  return key
}

async function openProxy(port: number): Promise<string> {
  const server = createServer((asked, reply) => {
    const path = (asked.url ?? '').replace(/^\/below\/dossier/, '')
    const { method, headers } = asked
    const passed = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(reply)
    })
    passed.on('error', () => reply.destroy())
    reply.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  proxy = server
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
}
