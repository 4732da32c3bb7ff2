import { spawnSync } from 'node:child_process'
import { expect, it } from '@jest/globals'

/** What the linter says of a file of the product with this text. */
function complaintsOf(text: string): string {
  // As JavaScript: the rule is the same, and no types are looked up.
  const words = [
    'node_modules/eslint/bin/eslint.js',
    '--stdin',
    '--stdin-filename',
    'src/planted.js',
  ]
  return spawnSync(process.execPath, words, { input: text, encoding: 'utf8' }).stdout
}

it('the linter refuses an expression whose work grows faster than its text', () => {
  const complaints = complaintsOf(String.raw`
    export const backtracks = /^application\/json\s*(?:;\s*charset\s*=\s*utf-8\s*)?;?\s*$/i
    export const nested = /^(?:[a-z]+-?)+$/
    export const startsAnew = /\s+$/
    export const linear = /^Bearer +([!-~]{1,255})$/i
  `)
  const lines = [...complaints.matchAll(/(\d+):\d+ +error .*(regexp\/\S+)/g)]
  expect(new Set(lines.map(([, line = '', rule = '']) => `${line} ${rule}`))).toEqual(
    new Set([
      '2 regexp/no-super-linear-backtracking',
      '3 regexp/no-super-linear-backtracking',
      '4 regexp/no-super-linear-move',
    ]),
  )
})
