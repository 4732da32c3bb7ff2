import { describe, expect, it } from '@jest/globals'
import { CommandLineWrong, parseCommandLine } from '../../../src/adapters/cli/command-line.js'
import { copyForm, readCopyOptions } from '../../../src/adapters/cli/copy.js'

function optionsOf(words: readonly string[], env: Readonly<Record<string, string>>) {
  return readCopyOptions(parseCommandLine(copyForm, words), env)
}

describe('the stores of a copy', () => {
  it('come from the command line, and otherwise from the environment', () => {
    const env = { COPY_FROM: 'sqlite:a', COPY_TO: 'sqlite:b' }
    expect(optionsOf(['--from', 'sqlite:c'], env)).toEqual({ from: 'sqlite:c', to: 'sqlite:b' })
  })

  it.each([
    [[]],
    [['--from', 'sqlite:a']],
    [['--to', 'sqlite:a']],
    [['--from', 'sqlite:a', '--to', '']],
    [['sqlite:a', 'sqlite:b']],
  ])('are refused: %j', (words) => {
    expect(() => optionsOf(words, {})).toThrow(CommandLineWrong)
  })
})
