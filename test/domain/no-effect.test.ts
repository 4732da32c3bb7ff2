import { describe, expect, it } from '@jest/globals'
import { createEntity, meaningOfCreation } from '../../src/domain/entity.js'
import type { EntityFact } from '../../src/domain/facts.js'
import { profileAfter } from '../../src/domain/profile.js'
import { effects } from '../../src/domain/segments/membership/effect-order.js'
import { membershipFact } from '../../src/domain/segments/membership/replay.js'

const now = new Date('2026-11-20T09:30:00.000Z')
const command = { factId: 'created', externalId: 'ada', properties: { plan: 'free' }, now }
const [creation] = createEntity(command).facts
const noted: EntityFact = {
  id: 'noted',
  externalId: 'ada',
  recordedAt: '2026-11-20T09:31:00.000Z',
  tookEffectAt: '2026-11-20T09:31:00.000Z',
  effect: { kind: 'none' },
}

describe('a fact about an entity without an effect', () => {
  it('leaves the profile unchanged', () => {
    const profile = profileAfter(undefined, meaningOfCreation(creation).entity ?? noted)
    expect(profile?.properties).toEqual({ plan: 'free' })
    expect(profileAfter(profile, noted)).toBe(profile)
  })

  it('creates no profile', () => {
    expect(profileAfter(undefined, noted)).toBeUndefined()
  })

  it('changes no membership, even when facts are replayed in the order of their effects', () => {
    expect(membershipFact(noted, [])).toBeUndefined()
    const place = { fact: noted, position: 2, at: 1 }
    expect([...effects([place])]).toEqual([{ fact: noted, at: 1 }])
  })
})
