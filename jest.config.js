const isThorough = process.env.TESTS === 'thorough'

/** Tests run as the compiler wrote them (`npm test`): what is tested is what is type-checked. */
export default {
  roots: ['<rootDir>/.build/test'],
  testEnvironment: 'node',
  transform: {},
  testPathIgnorePatterns: isThorough ? [] : ['\\.thorough\\.test\\.js$'],
  // On a machine that is busy.
  testTimeout: isThorough ? 1_800_000 : 120_000,
  // More than a small machine has processors: many suites wait, for a disk or for a program. Thorough
  // tests wait less, and their programs give up what takes seconds.
  maxWorkers: isThorough ? 3 : 4,
}
