import type { ReadModel } from '../application/reading/ports/read-model.js'
import type { ProfileLimit } from '../application/recording/ports/profile-limit.js'

/** How long a change waits for the read model, in milliseconds. */
const maxWaitMs = 100

/**
 * By the read model of this process, while it has one. It is asked only while some profile is full: as a
 * rule none is, and a change costs no question.
 */
export function profileLimitIn(
  readModel: () => Pick<ReadModel, 'ask' | 'status'> | undefined,
): ProfileLimit {
  return {
    isFull: async (externalId) => {
      const model = readModel()
      if (model?.status.hasFullProfiles !== true) return false
      try {
        const { value } = await model.ask(
          'isFull',
          { externalId },
          { waitMs: 0, answerMs: maxWaitMs },
        )
        return value
      } catch {
        // The limit is soft. Whoever wants to know why it is silent asks the read model's own log.
        return false
      }
    },
  }
}
