import { expect } from '@jest/globals'
import type { Locator } from 'playwright-core'
import { stepMs } from '../client/chromium.js'
import { nextLook } from '../next-look.js'

/** Waits until a field of the page has this value. Fails when the page does not show it within the limit of a step. */
export async function expectValue(field: Locator, value: string): Promise<void> {
  const giveUpAt = performance.now() + stepMs
  while ((await field.inputValue()) !== value && performance.now() < giveUpAt) await nextLook()
  expect(await field.inputValue()).toBe(value)
}
