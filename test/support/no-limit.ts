import type { ProfileLimit } from '../../src/application/recording/ports/profile-limit.js'

/** No profile is ever full. */
export const noLimit: ProfileLimit = { isFull: () => Promise.resolve(false) }
