import { expect } from '@jest/globals'
import { itInChromium } from '../support/client/chromium.js'
import { openedConsoles } from '../support/console/opened-console.js'

const open = openedConsoles()

itInChromium(
  'the console erases an entity after a second question, and shows the receipt',
  async () => {
    const at = await open()
    at.expected.push(/^console Failed to load resource: the server responded with a status of 410/)
    at.expected.push(/^console Failed to load resource: the server responded with a status of 404/)
    await at.client.entities.create('ada', { properties: { plan: 'free' } })
    await at.client.entities.record('ada', { name: 'buy' })
    await at.enter('#/people/ada')
    const erase = at.page.getByRole('button', { name: 'Erase …' })
    await erase.waitFor()
    expect(await erase.isDisabled()).toBe(true)
    await at.unlock()
    await erase.click()
    await at.page.getByText('This would remove 2 facts').waitFor()
    expect((await at.client.entities.get('ada')).event_count).toBe(1)
    expect(await at.axe()).toEqual([])
    await at.take('erase')
    await at.page.getByLabel('Reference: no personal data').fill('ticket 7')
    await at.page.getByRole('button', { name: 'Yes, erase this person' }).click()
    await at.page.getByRole('heading', { name: 'Erased people' }).waitFor()
    await at.page.getByText('2 facts, 0 memberships').waitFor()
    await at.page.getByText('ticket 7').waitFor()
    await at.page.getByText('nothing is left').first().waitFor()
    expect(await at.axe()).toEqual([])
    await at.take('erasures')
    await expect(at.client.entities.create('ada')).rejects.toMatchObject({ code: 'entity_erased' })
    expect(await at.page.content()).not.toContain('ada')
  },
  90_000,
)
