import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { it } from '@jest/globals'
import { thoroughly } from '../thoroughness.js'

/** The path of Chromium on Debian. */
const program = '/usr/bin/chromium'

/** Whether the test fails without Chromium instead of being skipped. CI sets this. */
const isRequired = process.env['CHROMIUM'] === 'required'

/** A thorough test that needs Chromium. Skipped when Chromium is missing, unless CHROMIUM=required. */
export const itInChromium: typeof it.skip = thoroughly(
  existsSync(program) || isRequired ? it : it.skip,
)

/** Opens a page in Chromium, which can reach no other host. Returns a function that closes the browser. */
export function openInChromium(url: string, profile: string): () => Promise<void> {
  const child = spawn(
    program,
    [
      '--headless',
      // Chromium's sandbox refuses to run as root.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      `--user-data-dir=${profile}`,
      url,
    ],
    { stdio: 'ignore' },
  )
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => {
      resolve()
    })
    child.once('error', () => {
      resolve()
    })
  })
  return () => {
    child.kill('SIGTERM')
    return closed
  }
}
