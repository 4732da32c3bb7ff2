import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { afterEach, expect } from '@jest/globals'
import { chromium, type Browser, type Page } from 'playwright-core'
import { Dossier } from '../../../src/client/dossier.js'
import { StartedService } from '../service-process.js'
import { temporaryFolders } from '../temporary-folder.js'

/** Debian's. */
const executablePath = '/usr/bin/chromium'
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const reads = { READ_MODEL: 'data/read-model.db' }
const pictures = resolve('.build/pictures')

/** What a browser says itself of replies that are no success, and of a service that has ended. */
export const refusedReply =
  /^console Failed to load resource: (?:the server responded with|net::ERR)/

/**
 * Opens consoles, one a test, each over a service of its own; it is closed after the test. `expected`:
 * complaints that the tests bring about.
 */
export function openedConsoles(
  ...expected: readonly RegExp[]
): (env?: Readonly<Record<string, string>>) => Promise<OpenedConsole> {
  const folder = temporaryFolders()
  let opened: OpenedConsole | undefined
  afterEach(async () => {
    const last = opened
    opened = undefined
    await last?.close()
  })
  return async (env = {}) => {
    opened = await OpenedConsole.open(folder(), env)
    opened.expected.push(...expected)
    return opened
  }
}

/** A started service, and its console in Chromium. Whatever the page complains of is in `complaints`. */
export class OpenedConsole {
  readonly complaints: string[] = []
  /** Complaints that a test brings about itself: a reply that is no success is one. */
  readonly expected: RegExp[] = []
  private readonly services: StartedService[] = []

  private constructor(
    readonly service: StartedService,
    readonly page: Page,
    /** With the first key, which may do everything. */
    readonly client: Dossier,
    private readonly browser: Browser,
  ) {}

  static async open(
    folder: string,
    env: Readonly<Record<string, string>> = {},
    colorScheme: 'light' | 'dark' = 'light',
  ): Promise<OpenedConsole> {
    const service = await StartedService.start(folder, { ...reads, ...env })
    const browser = await chromium.launch({
      executablePath,
      args: [
        // Its sandbox refuses to run as root.
        '--no-sandbox',
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      ],
    })
    const page = await browser.newPage({ colorScheme, viewport: { width: 1_440, height: 900 } })
    const client = new Dossier({ url: service.origin, key: service.key })
    const opened = new OpenedConsole(service, page, client, browser)
    // It is ended after the browser, which would complain.
    opened.services.push(service.share())
    await opened.listen()
    return opened
  }

  /** Signs in, and goes to a view: `#/people`. */
  async enter(address = '#/', key = this.service.key): Promise<void> {
    await this.page.goto(`${this.service.origin}/console${address}`)
    await this.page.getByLabel('API key').fill(key)
    await this.page.getByRole('button', { name: 'Sign in' }).click()
    await this.page.getByRole('navigation').waitFor()
  }

  async go(address: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(address)}`)
  }

  async unlock(): Promise<void> {
    await this.page.getByRole('button', { name: 'Unlock' }).click()
  }

  /** Another process over the same data, after the one before has ended. */
  async again(env: Readonly<Record<string, string>>): Promise<StartedService> {
    const service = await StartedService.start(this.service.folder, { ...reads, ...env })
    this.services.push(service.share())
    return service
  }

  /** What axe-core finds of the view as it is shown. */
  async axe(): Promise<readonly string[]> {
    if (!(await this.page.evaluate(`'axe' in window`))) await this.runAxe()
    const found: unknown = await this.page.evaluate(
      `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ html }) => html).join(' | ')))`,
    )
    return Array.isArray(found) ? found.map(String) : ['axe-core did not run']
  }

  /** Pictures of the view, for people to look at: light and dark, wide and narrow. */
  async take(name: string): Promise<void> {
    mkdirSync(pictures, { recursive: true })
    for (const colorScheme of ['light', 'dark'] as const) {
      await this.page.emulateMedia({ colorScheme })
      for (const width of [1_440, 400]) {
        await this.page.setViewportSize({ width, height: 900 })
        const path = join(pictures, `${name}-${colorScheme}-${String(width)}.png`)
        await this.page.screenshot({ path, fullPage: true })
        // What is too wide is scrolled in its place; the page is not.
        const isWider = await this.page.evaluate('document.body.scrollWidth > innerWidth')
        expect([path, isWider]).toEqual([path, false])
      }
    }
    await this.page.emulateMedia({ colorScheme: 'light' })
    await this.page.setViewportSize({ width: 1_440, height: 900 })
  }

  /** Closes all; fails where the page complained of something that the test did not bring about. */
  async close(): Promise<void> {
    await this.browser.close()
    for (const service of this.services) service.signal('SIGKILL')
    const { complaints, expected } = this
    expect(complaints.filter((one) => !expected.some((known) => known.test(one)))).toEqual([])
  }

  private async listen(): Promise<void> {
    const { page, complaints } = this
    await page.exposeFunction('complain', (text: string) => complaints.push(text))
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', (event) => complain('CSP ' + event.violatedDirective + ' ' + event.blockedURI))`,
    )
    page.on('pageerror', (error) => complaints.push(`error ${error.message}`))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`console ${message.text()}`)
    })
  }

  /** The page's own policy lets no script in: it comes by the protocol of the browser's tools. */
  private async runAxe(): Promise<void> {
    await this.page.evaluate(readFileSync(axe, 'utf8'))
  }
}
