import { describe, expect, it } from '@jest/globals'
import {
  asksForHelp,
  CommandLineWrong,
  helpOf,
  parseCommandLine,
} from '../../../src/adapters/cli/command-line.js'

const form = {
  name: 'load',
  about: 'Loads files.',
  usage: ['FILE [options]'],
  options: {
    url: { type: 'string', value: 'URL', about: 'address of the service' },
    batch: { type: 'string', value: 'ITEMS', default: '1000', about: 'items in one request' },
    force: { type: 'boolean', short: 'f', about: 'loads a file again' },
  },
  takesArguments: true,
  example: 'dossier load a.csv',
  exitCodes: [[0, 'every line is stored']],
} as const

describe('a command line', () => {
  it('has options, with their defaults, and arguments', () => {
    expect(parseCommandLine(form, ['a.csv', '--url=http://a', '-f'])).toMatchObject({
      values: { url: 'http://a', batch: '1000', force: true },
      positionals: ['a.csv'],
    })
  })

  it.each([
    [['--bach', '10'], 'there is no option --bach. Did you mean "--batch"?'],
    [['--ba', '10'], 'there is no option --ba. Did you mean "--batch"?'],
    [['--colour'], 'there is no option --colour.'],
    [['-x'], 'there is no option -x.'],
    [['--toString'], 'there is no option --toString.'],
    [['--url'], '--url needs a value'],
    [['--url', '--force'], '--url needs a value'],
    [['--force=yes'], '--force takes no value'],
    [['--url', 'a', '--url', 'b'], '--url is given twice'],
    [['--url=a', 'a.csv', '--url=b'], '--url is given twice'],
    [['-f', '--force'], '--force is given twice'],
  ])('with %j is refused', (words, message) => {
    expect(() => parseCommandLine(form, words)).toThrow(new CommandLineWrong(message))
  })

  it('passes a negative number to the option before it, whose command refuses it', () => {
    expect(parseCommandLine(form, ['--batch', '-1', 'a.csv'])).toMatchObject({
      values: { batch: '-1' },
      positionals: ['a.csv'],
    })
    expect(() => parseCommandLine(form, ['--force', '-1'])).toThrow('there is no option -1.')
  })

  it('is refused without a repetition of its values, because one may be a key', () => {
    const words = ['dossier_secret', '--kye=dossier_secret', '--url', '-dossier_secret']
    for (const some of [words, words.slice(1), words.slice(2)]) {
      expect(() => parseCommandLine({ ...form, takesArguments: false }, some)).toThrow(
        /^(?!.*secret)/s,
      )
    }
  })

  it('asks for help by an option, and not by an argument after --', () => {
    expect([['--help'], ['a', '-h'], ['--', '--help'], ['help']].map(asksForHelp)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('the help of a command', () => {
  it('lists usage, options with their defaults, an example and exit codes', () => {
    expect(helpOf(form)).toBe(`Loads files.

Usage:
  dossier load FILE [options]

Options:
  --url URL      address of the service
  --batch ITEMS  items in one request (default: 1000)
  --force, -f    loads a file again
  --help, -h     shows this help

Example:
  dossier load a.csv

Exit codes:
  0  every line is stored
`)
  })
})
