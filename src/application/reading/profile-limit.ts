import { isFullProfile } from '../../domain/profile.js'
import type { ReadModel } from './ports/read-model.js'

/** How long a change waits for the read model. */
const maxWaitMs = 100

/** The owner to which checks of the profile limit are charged, so that no client pays for them. */
const caller = 'the limit of profiles'

/**
 * Returns a function that says whether a profile is full, according to this process's read model. Without a
 * read model no profile is full. The read model lists the full profiles. If there are too many to list, the
 * profile itself is read. Returns false when the answer takes too long. Never rejects.
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
    // The limit is soft, so a failed read does not stop the change. The read model logs its own failures.
    return false
  }
}
