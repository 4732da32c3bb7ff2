import { it } from '@jest/globals'
import { canTrace } from './hold-flushes.js'

/** A test that needs strace. Skipped when strace is missing or not permitted. */
export const itWithStrace: typeof it.skip = canTrace() ? it : it.skip
