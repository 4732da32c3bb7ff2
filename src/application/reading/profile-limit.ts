import { isFullProfile } from '../../domain/profile.js'
import type { ReadModel } from './ports/read-model.js'

/** How long a change waits for the read model, in milliseconds. */
const maxWaitMs = 100

/** These looks have a share of their own: no client's. */
const caller = 'the limit of profiles'

/**
 * Whether a profile takes no more properties, by the read model of this process; undefined: it has none, and
 * no profile is full. The read model names the profiles that are full; where they are too many to be named,
 * the profile itself is looked at. False also when the answer takes too long. Never rejects.
 */
export function profileLimitIn(
  model: Pick<ReadModel, 'query' | 'status'> | undefined,
): (externalId: string) => boolean | Promise<boolean> {
  if (model === undefined) return () => false
  return (externalId) => {
    const { fullProfiles } = model.status
    return fullProfiles === 'many' ? isFullIn(model, externalId) : fullProfiles.includes(externalId)
  }
}

async function isFullIn(model: Pick<ReadModel, 'query'>, externalId: string): Promise<boolean> {
  try {
    const want = { waitMs: 0, answerMs: maxWaitMs, caller }
    const { value } = await model.query('profile', { externalId }, want)
    if (value === undefined) return false
    const { text, value: properties } = value.properties
    return isFullProfile(Object.keys(properties).length, Buffer.byteLength(text))
  } catch {
    // The limit is soft. Whoever wants to know why it is silent reads the read model's own log.
    return false
  }
}
