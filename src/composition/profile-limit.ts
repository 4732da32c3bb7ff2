import type { ReadModel } from '../application/reading/ports/read-model.js'
import type { IsFull } from '../application/recording/update-entity.js'
import { isFullProfile } from '../domain/profile.js'

/** How long a change waits for the read model, in milliseconds. */
const maxWaitMs = 100

/** These looks have a share of their own: no client's. */
const caller = 'the limit of profiles'

/**
 * By the read model of this process, while it has one. It names the profiles that are full; where they are
 * too many to be named, the profile itself is looked at.
 */
export function profileLimitIn(
  readModel: () => Pick<ReadModel, 'ask' | 'status'> | undefined,
): IsFull {
  return (externalId) => {
    const model = readModel()
    if (model === undefined) return false
    const { fullProfiles } = model.status
    return fullProfiles === 'many' ? isFullIn(model, externalId) : fullProfiles.includes(externalId)
  }
}

async function isFullIn(model: Pick<ReadModel, 'ask'>, externalId: string): Promise<boolean> {
  try {
    const want = { waitMs: 0, answerMs: maxWaitMs, caller }
    const { value } = await model.ask('profile', { externalId }, want)
    if (value === undefined) return false
    const { text, value: properties } = value.properties
    return isFullProfile(Object.keys(properties).length, Buffer.byteLength(text))
  } catch {
    // The limit is soft. Whoever wants to know why it is silent asks the read model's own log.
    return false
  }
}
