import { describe, expect, it } from '@jest/globals'
import { createEntity, meaningOfCreation } from '../../src/domain/entity.js'
import type { EntityFact } from '../../src/domain/facts.js'
import { ProfileFold } from '../../src/domain/profile.js'
import { membershipFact } from '../../src/domain/segments/membership/replay.js'

const now = new Date('2026-11-20T09:30:00.000Z')
const command = { factId: 'created', externalId: 'ada', properties: { plan: 'free' }, now }
const [creation] = createEntity(command).facts
const noted: EntityFact = {
  id: 'noted',
  externalId: 'ada',
  recordedAt: '2026-11-20T09:31:00.000Z',
  occurredAt: undefined,
  effect: { kind: 'none' },
}

describe('a fact about an entity without an effect', () => {
  it('leaves the profile unchanged', () => {
    const fold = new ProfileFold()
    fold.add(meaningOfCreation(creation).entity, now.getTime())
    const { profile } = fold
    expect(profile?.properties).toEqual({ plan: 'free' })
    fold.add(noted, now.getTime())
    expect(fold.profile).toEqual(profile)
  })

  it('creates no profile', () => {
    const fold = new ProfileFold()
    fold.add(noted, now.getTime())
    expect(fold.profile).toBeUndefined()
  })

  it('changes no membership', () => {
    expect(membershipFact(noted, 1, [])).toBeUndefined()
  })
})
