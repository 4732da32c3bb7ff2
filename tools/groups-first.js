import TestSequencer from '@jest/test-sequencer'

/** Runs the grouped suites first. They take longest, and the shorter suites then fill the remaining time. */
export default class GroupsFirst extends TestSequencer {
  /** @param {Parameters<TestSequencer['sort']>[0]} tests */
  sort(tests) {
    const isGroup = ({ path }) => path.includes('/.build/grouped/')
    const sorted = super.sort(tests)
    return [...sorted.filter(isGroup), ...sorted.filter((test) => !isGroup(test))]
  }
}
