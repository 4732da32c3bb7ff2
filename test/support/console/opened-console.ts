import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { afterEach, expect } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { Dossier } from '../../../src/client/dossier.js'
import { launchChromium, stepMs } from '../client/chromium.js'
import { slowDown } from '../client/slow-page.js'
import { StartedService } from '../service-process.js'
import { temporaryFolders } from '../temporary-folder.js'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const reads = { READ_MODEL: 'data/read-model.db' }
const pictures = resolve('.build/pictures')

/** Matches the browser's own messages about error replies, and about a service that has ended. */
export const refusedReply =
  /^console Failed to load resource: (?:the server responded with|net::ERR)/

/**
 * Returns a function that opens a console over its own service. Each console is closed after its test. `expected`
 * matches complaints that the tests cause on purpose.
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

/** A started service with its console in Chromium. `complaints` has all errors that the page reports. */
export class OpenedConsole {
  readonly complaints: string[] = []
  /** Matches complaints that a test causes on purpose, such as an error reply. */
  readonly expected: RegExp[] = []
  private readonly services: StartedService[] = []

  private constructor(
    readonly service: StartedService,
    readonly page: Page,
    /** A client with the first key, which has every scope. */
    readonly client: Dossier,
    private readonly browser: Browser,
  ) {}

  static async open(
    folder: string,
    env: Readonly<Record<string, string>> = {},
    colorScheme: 'light' | 'dark' = 'light',
  ): Promise<OpenedConsole> {
    const service = await StartedService.start(folder, { ...reads, ...env })
    const browser = await launchChromium()
    const page = await browser.newPage({ colorScheme, viewport: { width: 1_440, height: 900 } })
    const client = new Dossier({ url: service.origin, key: service.key })
    const opened = new OpenedConsole(service, page, client, browser)
    // The service must end after the browser, which would otherwise complain.
    opened.services.push(service.share())
    await opened.listen()
    return opened
  }

  /** Signs in and opens a view, such as `#/people`. */
  async enter(address = '#/', key = this.service.key): Promise<void> {
    await this.page.goto(`${this.service.origin}/console${address}`)
    await this.page.getByLabel('API key').fill(key)
    await this.page.getByRole('button', { name: 'Sign in' }).click()
    await this.page.getByRole('navigation', { name: 'Pages' }).waitFor()
  }

  /** Goes to another address. Resolves when the page of that address has replaced the previous page. */
  async go(address: string): Promise<void> {
    await this.page.evaluate(`new Promise((changed) => {
      addEventListener('hashchange', () => changed(), { once: true })
      location.hash = ${JSON.stringify(address)}
    })`)
  }

  async unlock(): Promise<void> {
    await this.page.getByRole('button', { name: 'Unlock' }).click()
  }

  /** Starts another process over the same data. The previous process must have ended. */
  async again(env: Readonly<Record<string, string>>): Promise<StartedService> {
    const service = await StartedService.start(this.service.folder, { ...reads, ...env })
    this.services.push(service.share())
    return service
  }

  /** Returns the accessibility faults that axe-core finds in the current view. */
  async axe(): Promise<readonly string[]> {
    if (!(await this.page.evaluate(`'axe' in window`))) await this.runAxe()
    const found: unknown = await this.page.evaluate(
      `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ html }) => html).join(' | ')))`,
    )
    return Array.isArray(found) ? found.map(String) : ['axe-core did not run']
  }

  /** Saves pictures of the view: light and dark, wide and narrow. */
  async take(name: string): Promise<void> {
    mkdirSync(pictures, { recursive: true })
    for (const colorScheme of ['light', 'dark'] as const) {
      await this.page.emulateMedia({ colorScheme })
      for (const width of [1_440, 400]) {
        await this.page.setViewportSize({ width, height: 900 })
        const path = join(pictures, `${name}-${colorScheme}-${String(width)}.png`)
        await this.page.screenshot({ path, fullPage: true })
        // Wide content must scroll inside its own element, and the page must not scroll sideways.
        const isWider = await this.page.evaluate('document.body.scrollWidth > innerWidth')
        expect([path, isWider]).toEqual([path, false])
      }
    }
    await this.page.emulateMedia({ colorScheme: 'light' })
    await this.page.setViewportSize({ width: 1_440, height: 900 })
  }

  /** Closes the browser and the service. Fails when the page reported an unexpected error. */
  async close(): Promise<void> {
    await this.browser.close()
    for (const service of this.services) service.signal('SIGKILL')
    const { complaints, expected } = this
    expect(complaints.filter((one) => !expected.some((known) => known.test(one)))).toEqual([])
  }

  private async listen(): Promise<void> {
    const { page, complaints } = this
    page.setDefaultTimeout(stepMs)
    await slowDown(page)
    await page.exposeFunction('complain', (text: string) => complaints.push(text))
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', (event) => complain('CSP ' + event.violatedDirective + ' ' + event.blockedURI))`,
    )
    page.on('pageerror', (error) => complaints.push(`error ${error.message}`))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`console ${message.text()}`)
    })
  }

  /**
   * Loads axe-core through the browser's debugging protocol, because the page's security policy allows no other
   * scripts.
   */
  private async runAxe(): Promise<void> {
    await this.page.evaluate(readFileSync(axe, 'utf8'))
  }
}
