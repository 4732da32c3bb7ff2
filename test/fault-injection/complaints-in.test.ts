import { expect, test } from '@jest/globals'
import { complaintsIn } from '../../fault-injection/fuzz/complaints-in.js'

test('entries of level error and fatal, and lines that are no entry, are complaints', () => {
  const harmless = ['{"level":30,"msg":"listening"}', '{"level":40,"msg":"no live key"}']
  const complaints = [
    '{"level":50,"msg":"a request failed"}',
    '{"level":60,"msg":"gone"}',
    '{"msg":"without a level"}',
    '(node:1) Warning: something',
  ]
  expect(complaintsIn([...harmless, ...complaints])).toEqual(complaints)
})
