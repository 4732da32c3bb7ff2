import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { it } from '@jest/globals'
import { thoroughly } from '../thoroughness.js'

/** Debian's. */
const program = '/usr/bin/chromium'

/** Whether it must be there: a machine that checks what lands may not skip it. */
const isRequired = process.env['CHROMIUM'] === 'required'

/** A thorough test that needs Chromium; skipped where there is none, unless CHROMIUM=required. */
export const itInChromium: typeof it.skip = thoroughly(
  existsSync(program) || isRequired ? it : it.skip,
)

/** Opens a page; the function that it returns closes the browser. No other host can be reached. */
export function openInChromium(url: string, profile: string): () => Promise<void> {
  const child = spawn(
    program,
    [
      '--headless',
      // Its sandbox refuses to run as root.
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
