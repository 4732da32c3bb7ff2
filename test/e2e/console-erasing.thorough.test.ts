import { expect } from '@jest/globals'
import { hangMs, itInChromium } from '../support/client/chromium.js'
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
    await at.page.getByRole('button', { name: 'More actions' }).click()
    await at.page.getByRole('menuitem', { name: 'Erase this person …' }).click()
    const question = at.page.getByRole('dialog', { name: 'Erase ada?' })
    await question.getByText('This removes 2 facts about ada').waitFor()
    const erase = question.getByRole('button', { name: 'Erase ada' })
    expect(await erase.isDisabled()).toBe(true)
    expect(await at.axe()).toEqual([])
    await at.take('erase')
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    expect((await at.client.entities.get('ada')).event_count).toBe(1)
    await at.unlock()
    await at.page.getByRole('button', { name: 'More actions' }).click()
    await at.page.getByRole('menuitem', { name: 'Erase this person …' }).click()
    await question.getByLabel('Reference, without personal data').fill('ticket 7')
    await erase.click()
    await at.page.getByRole('heading', { name: 'Erasures' }).waitFor()
    await at.page.getByText('2 facts, 0 memberships').waitFor()
    await at.page.getByText('ticket 7').waitFor()
    await at.page.getByText('nothing is left').first().waitFor()
    expect(await at.axe()).toEqual([])
    await at.take('erasures')
    await expect(at.client.entities.create('ada')).rejects.toMatchObject({ code: 'entity_erased' })
    // An id of a fact may contain these letters, but not as a word.
    expect(await at.page.content()).not.toMatch(/\bada\b/)
    await at.go('#/people?q=ada')
    await at.page.getByRole('link', { name: 'Look at ada' }).click()
    await at.page.getByText(/^This person was erased on /).waitFor()
    expect(await at.page.getByRole('button', { name: 'Create' }).count()).toBe(0)
    expect(await at.axe()).toEqual([])
    await at.take('erased')
  },
  hangMs,
)
