import { expect, test } from '@jest/globals'
import { OptionsWrong, readOptions } from '../../drill/options.js'

const names = ['kill', 'overload']

test('everything in the short form, unless told', () => {
  expect(readOptions(['--seed', '7'], names)).toEqual({ form: 'short', only: names, seed: 7 })
  expect(readOptions(['--long', '--only', 'overload'], names)).toMatchObject({
    form: 'long',
    only: ['overload'],
  })
  expect(readOptions(['--help'], names)).toBeUndefined()
})

test.each<[readonly string[], RegExp]>([
  [['--lnog'], /--lnog/],
  [['kill'], /kill/],
  [['--only', 'kill,kil'], /no scenario is called "kil"; there are kill, overload/],
  [['--seed', '-1'], /seed/],
  [['--seed', 'x'], /--seed must be a whole number/],
  [['--long', '--smoke'], /exclude each other/],
])('%j is refused with a reason', (args, reason) => {
  const read = () => readOptions(args, names)
  expect(read).toThrow(OptionsWrong)
  expect(read).toThrow(reason)
})
