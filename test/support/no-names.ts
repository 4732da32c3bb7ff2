import { NameSecret } from '../../src/adapters/sqlite/file/name-secret.js'

/** For a file in which no name is suppressed. */
export const noNames = new NameSecret('/nowhere', false)
