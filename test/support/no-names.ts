import { NameSecret } from '../../src/adapters/sqlite/file/name-secret.js'

/** The name secret for a file in which no name is blocked from reuse. */
export const noNames = new NameSecret('/nowhere', false)
