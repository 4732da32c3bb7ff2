/** Tests run as the compiler wrote them (`npm run build:test`): what is tested is what is type-checked. */
export default {
  roots: ['<rootDir>/.build/test'],
  testEnvironment: 'node',
  transform: {},
  testTimeout: 30_000,
  maxWorkers: 2,
}
