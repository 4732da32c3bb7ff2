import { existsSync } from 'node:fs'
import { it } from '@jest/globals'
import { chromium, type Browser } from 'playwright-core'
import { thoroughly } from '../thoroughness.js'

/** The path of Chromium on Debian. */
const executablePath = '/usr/bin/chromium'

/**
 * The time limits of a step that waits for a page, and of a test, in milliseconds. They end tests that hang. A test
 * that works ends long before, also on a machine that is busy.
 */
export const stepMs = 120_000
export const hangMs = 900_000

/** Whether the test fails without Chromium instead of being skipped. CI sets this. */
const isRequired = process.env['CHROMIUM'] === 'required'

/** A thorough test that needs Chromium. Skipped when Chromium is missing, unless CHROMIUM=required. */
export const itInChromium: typeof it.skip = thoroughly(
  existsSync(executablePath) || isRequired ? it : it.skip,
)

/** Starts Chromium without a window. The browser can reach no host but 127.0.0.1. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      // Chromium's sandbox refuses to run as root.
      '--no-sandbox',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  })
}

/** Opens a page in Chromium. Returns a function that closes the browser. */
export async function openInChromium(url: string): Promise<() => Promise<void>> {
  const browser = await launchChromium()
  const page = await browser.newPage()
  await page.goto(url, { waitUntil: 'commit', timeout: stepMs })
  return () => browser.close()
}
