import type { ExactAppends, StreamReader } from '../../src/application/ports/exact-appends.js'

const unexpected = () => Promise.reject(new TypeError('nobody was to ask this'))

/** For a store in a test of other appends. */
export const noExactAppends: ExactAppends & StreamReader = {
  appendAt: unexpected,
  readStream: unexpected,
}
