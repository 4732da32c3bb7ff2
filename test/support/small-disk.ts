import { it } from '@jest/globals'
import { canMount } from './mount-small-disk.js'

/** A test that mounts a file system; skipped where that is not allowed. */
export const itWithSmallDisk: typeof it.skip = canMount() ? it : it.skip
