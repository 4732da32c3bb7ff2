import TestSequencer from '@jest/test-sequencer'

/** Runs the groups that start programs last. They take less time than the others, and so fill the remaining time. */
export default class StartedLast extends TestSequencer {
  /** @param {Parameters<TestSequencer['sort']>[0]} tests */
  sort(tests) {
    const starts = ({ path }) => path.includes('/.build/grouped/started-')
    const sorted = super.sort(tests)
    return [...sorted.filter((test) => !starts(test)), ...sorted.filter(starts)]
  }
}
