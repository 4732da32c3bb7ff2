import TestSequencer from '@jest/test-sequencer'

/** The suites that are many in one come first: they take longest, and the last ones then end together. */
export default class GroupsFirst extends TestSequencer {
  /** @param {Parameters<TestSequencer['sort']>[0]} tests */
  sort(tests) {
    const isGroup = ({ path }) => path.includes('/.build/grouped/')
    const sorted = super.sort(tests)
    return [...sorted.filter(isGroup), ...sorted.filter((test) => !isGroup(test))]
  }
}
