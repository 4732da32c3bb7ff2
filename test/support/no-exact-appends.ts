import type { ExactAppends, StreamReader } from '../../src/application/ports/exact-appends.js'

const unexpected = () => Promise.reject(new TypeError('nobody was to ask this'))

/** Throws on every call. For stores in tests that never append at an expected revision. */
export const noExactAppends: ExactAppends & StreamReader = {
  appendAt: unexpected,
  readStream: unexpected,
}
