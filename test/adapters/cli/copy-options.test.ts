import { describe, expect, it } from '@jest/globals'
import { readCopyOptions } from '../../../src/adapters/cli/copy.js'
import { CopyRefused } from '../../../src/application/migration/ports/fact-copy.js'

describe('what a copy is told', () => {
  it('comes from its words, else from the environment', () => {
    const env = { COPY_FROM: 'sqlite:a', COPY_TO: 'sqlite:b' }
    expect(readCopyOptions(['--from', 'sqlite:c'], env)).toEqual({
      from: 'sqlite:c',
      to: 'sqlite:b',
    })
  })

  it.each([
    [[]],
    [['--from', 'sqlite:a']],
    [['--to', 'sqlite:a']],
    [['--from', 'sqlite:a', '--to', '']],
    [['sqlite:a', 'sqlite:b']],
    [['--from', 'sqlite:a', '--to', 'sqlite:b', '--all']],
  ])('is refused with the usage: %j', (words) => {
    expect(() => readCopyOptions(words, {})).toThrow(CopyRefused)
    expect(() => readCopyOptions(words, {})).toThrow(/Usage:/)
  })
})
