import { expect, it } from '@jest/globals'
import { itThoroughly } from '../../../../../support/thoroughness.js'
import {
  drivenProjections,
  type DrivenProjections,
} from '../../../../../support/segments/driven-projections.js'
import { beginning } from '../../../../../support/segments/random-rules.js'
import { SmallLog } from '../../../../../support/segments/small-log.js'

const makeProjections = drivenProjections()
const on = (ms: number) => new Date(beginning + ms).toISOString()
const bought = { event: 'buy', count: { gte: 1 } } as const
const hundredTimes = Array.from({ length: 100 }, () => 'ada')

/** A log with `facts` facts of `ada`, including the creation. */
async function withFacts(
  facts: number,
  work: (driven: DrivenProjections) => Promise<void>,
): Promise<void> {
  const small = new SmallLog().created(on(0))
  for (let n = 1; n < facts; n += 1) small.event('buy', on(n))
  const driven = makeProjections()
  driven.addAll(small.log)
  await work(driven)
}

it('refuses more than 100,000 facts, of one entity or of several', async () => {
  await withFacts(1_001, async (driven) => {
    const asked = driven.query('evaluateRule', { rule: bought, externalIds: hundredTimes })
    await expect(asked).rejects.toMatchObject({ code: 'too_many_facts' })
    const [ada] = await driven.query('evaluateRule', { rule: bought, externalIds: ['ada'] })
    expect(ada?.membership?.why).toMatchObject({ holds: true, counted: 1_000 })
  })
})

itThoroughly('accepts 100,000 facts', async () => {
  await withFacts(1_000, async (driven) => {
    const asked = driven.query('evaluateRule', { rule: bought, externalIds: hundredTimes })
    const members = (await asked).map(({ membership }) => membership?.member)
    expect(members).toEqual(hundredTimes.map(() => true))
  })
})

it('a rule that names a segment like an inherited property of objects matches no entity', async () => {
  await withFacts(2, async (driven) => {
    for (const segment of ['constructor', 'tostring', '__proto__']) {
      const rule = { any: [{ segment }, { property: '/constructor', is: { exists: true } }] }
      const [ada] = await driven.query('evaluateRule', { rule, externalIds: ['ada'] })
      expect(ada?.membership).toMatchObject({ member: false, periods: [] })
    }
  })
})

it('a rule that names a segment under backfill is refused, except with known_at', async () => {
  const small = new SmallLog().created(on(0)).defined(on(1), 's', { everyone: true })
  const driven = makeProjections()
  driven.addAll(small.log)
  const asked = { rule: { segment: 's' }, externalIds: ['ada'] }
  const isMember = async (bounds: { asOf?: number; knownAt?: number }) =>
    (await driven.query('evaluateRule', { ...asked, ...bounds }))[0]?.membership?.member
  await expect(isMember({})).rejects.toMatchObject({ code: 'building' })
  await expect(isMember({ asOf: beginning + 5 })).rejects.toMatchObject({ code: 'building' })
  expect(await isMember({ knownAt: beginning + 5 })).toBe(true)
  expect(await isMember({ knownAt: beginning })).toBe(false)
  await driven.settle()
  expect(await isMember({})).toBe(true)
})
