import { expect, it } from '@jest/globals'
import { copyTable } from '../../../src/adapters/cli/copy.js'

it('shows the account with its numbers below each other', () => {
  expect(
    copyTable({
      facts: 1_234,
      bytes: 56_789,
      copied: 1_000,
      alreadyThere: 234,
      milliseconds: 1_250,
      digest: 'd'.repeat(64),
      erased: [],
      differences: [],
    }),
  ).toBe(
    [
      'facts           1234',
      'bytes          56789',
      'copied now      1000',
      'already there    234',
      'differences        0',
      'seconds          1.3',
      `digest         ${'d'.repeat(64)}`,
      '',
    ].join('\n'),
  )
})
