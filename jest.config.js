/** Tests run as the compiler wrote them (`npm run build:test`): what is tested is what is type-checked. */
export default {
  roots: ['<rootDir>/.build/test'],
  testEnvironment: 'node',
  transform: {},
  testTimeout: 60_000,
  // Two more than a small machine has processors: many suites wait, for a disk or for a program.
  maxWorkers: 4,
}
