import { expect, test } from '@jest/globals'
import { OptionsWrong, readOptions } from '../../fault-injection/options.js'

const scenarios = [
  { name: 'kill', smoke: true },
  { name: 'overload' },
  { name: 'stop', smoke: true },
  { name: 'slow', smoke: false },
]

test('everything in the quick form, unless told', () => {
  const only = ['kill', 'overload', 'stop', 'slow']
  expect(readOptions(['--seed', '7'], scenarios)).toEqual({ form: 'quick', only, seed: 7 })
  expect(readOptions(['--thorough', '--only', 'slow,overload'], scenarios)).toMatchObject({
    form: 'thorough',
    only: ['overload', 'slow'],
  })
  expect(readOptions(['--help'], scenarios)).toBeUndefined()
})

test('the smoke form has the scenarios that have one', () => {
  const only = ['kill', 'stop']
  expect(readOptions(['--smoke'], scenarios)).toMatchObject({ form: 'smoke', only })
  expect(readOptions(['--smoke', '--only', 'stop'], scenarios)).toMatchObject({ only: ['stop'] })
})

test.each<[readonly string[], RegExp]>([
  [['--lnog'], /--lnog/],
  [['kill'], /kill/],
  [['--only', 'kill,kil'], /no scenario is called "kil"; there are kill, overload, stop, slow/],
  [['--seed', '-1'], /seed/],
  [['--seed', 'x'], /--seed must be a whole number/],
  [['--thorough', '--smoke'], /exclude each other/],
  [
    ['--smoke', '--only', 'kill,overload,slow'],
    /no smoke form of overload, slow; there is one of kill, stop$/,
  ],
])('%j is refused with a reason', (args, reason) => {
  const read = () => readOptions(args, scenarios)
  expect(read).toThrow(OptionsWrong)
  expect(read).toThrow(reason)
})
