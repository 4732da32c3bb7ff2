const isThorough = process.env.TESTS === 'thorough'

/** Runs the compiled tests that `npm test` has built and type-checked. */
export default {
  roots: ['<rootDir>/.build/test'],
  testEnvironment: 'node',
  transform: {},
  testPathIgnorePatterns: isThorough ? [] : ['\\.thorough\\.test\\.js$'],
  // Long enough for a busy machine.
  testTimeout: isThorough ? 1_800_000 : 120_000,
  // More workers than a small machine has processors, because many suites wait for a disk or a program. Thorough suites
  // wait less, and the programs that they start time out on an overloaded machine.
  maxWorkers: isThorough ? 3 : 4,
}
