import { scopes, type KeyHolder } from '../../../src/adapters/http/ports/key-ring.js'

/** A key holder who may call every operation. */
export const allScopes: KeyHolder = { id: 'k', name: 'k', scopes }
