import { isFullProfile } from '../../domain/profile.js'
import type { ReadModel } from './ports/read-model.js'

/** The longest time that a change waits for the read model, in milliseconds. */
const maxWaitMs = 100

/**
 * The caller name of these queries. No client has this name, so the queries count for no client's
 * limit.
 */
const caller = 'the limit of profiles'

/**
 * Returns a function that tells whether a profile is full, according to the read model of this
 * process. The read model's status lists the full profiles. If there are too many to list, the
 * function reads the profile. It returns false when the answer takes too long, or when there is no
 * read model. It never rejects.
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
    // Permits the change when the query fails: the limit is soft, and the read model logs its own
    // failures.
    return false
  }
}
