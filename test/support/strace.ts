import { it } from '@jest/globals'
import { canTrace } from './hold-flushes.js'

/** A test that needs strace, and the right to use it; skipped where there is none. */
export const itWithStrace: typeof it.skip = canTrace() ? it : it.skip
