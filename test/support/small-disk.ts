import { it } from '@jest/globals'
import { canMount } from './mount-small-disk.js'

/** A test that mounts a file system. Skipped when that is not permitted. */
export const itWithSmallDisk: typeof it.skip = canMount() ? it : it.skip
