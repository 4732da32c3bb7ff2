import type { Page } from 'playwright-core'

/**
 * Makes a page as slow as on a machine that is busy, when an environment variable asks for it:
 *
 * - `SLOW_ANSWERS=1500` holds every request of the page, or its answer, for a random time of up to 1,500 ms.
 * - `SLOW_PROCESSOR=6` lets the scripts of the page run at a sixth of their speed.
 */
export async function slowDown(page: Page): Promise<void> {
  const { SLOW_ANSWERS, SLOW_PROCESSOR } = process.env
  if (SLOW_ANSWERS !== undefined) await delayAnswers(page, Number(SLOW_ANSWERS))
  if (SLOW_PROCESSOR !== undefined) {
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: Number(SLOW_PROCESSOR) })
  }
}

async function delayAnswers(page: Page, atMostMs: number): Promise<void> {
  const isAsked = ({ pathname }: URL) => !/\/console(?:\/|$)/.test(pathname)
  await page.route(isAsked, async (route) => {
    const isStream = /\/facts$|\/preview$/.test(new URL(route.request().url()).pathname)
    const ms = Math.random() * atMostMs
    if (isStream || Math.random() < 0.5) {
      await pause(ms)
      await route.continue().catch(() => undefined)
      return
    }
    try {
      const response = await route.fetch()
      await pause(ms)
      await route.fulfill({ response })
    } catch {
      await route.abort().catch(() => undefined)
    }
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms))
}
