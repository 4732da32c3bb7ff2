import { v7 } from 'uuid'
import type { IdGenerator } from '../../application/ports/id-generator.js'

/** UUID version 7: they grow with time, so that a store appends where it appended last. */
export const uuidGenerator: IdGenerator = { next: () => v7() }
