import config from './jest.config.js'

/**
 * Used by `npm test`: runs the suites of one part of the sources as one suite. Each suite on its own would load
 * Fastify, zod and the sources again, which is a third of the work of all suites.
 */
export default {
  ...config,
  roots: ['<rootDir>/.build/grouped', '<rootDir>/.build/test'],
  testMatch: ['**/grouped/*.test.js'],
  testSequencer: './tools/started-last.js',
  transform: { '/\\.build/test/.*\\.test\\.js$': './tools/describe-suite.js' },
}
