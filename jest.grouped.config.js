import config from './jest.config.js'

/**
 * For `npm test`: the suites of one part of the sources run as one. Alone, each loads Fastify, zod and the
 * sources anew and runs their functions cold, which is a third of the work of all.
 */
export default {
  ...config,
  roots: ['<rootDir>/.build/grouped', '<rootDir>/.build/test'],
  testMatch: ['**/grouped/*.test.js', '**/.build/test/e2e/**/*.test.js'],
  testSequencer: './tools/groups-first.js',
  transform: {
    '/\\.build/test/(?!e2e).*\\.test\\.js$': './tools/describe-suite.js',
  },
}
