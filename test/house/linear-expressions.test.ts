import { spawnSync } from 'node:child_process'
import { expect, it } from '@jest/globals'

/** What the linter says of a file of the product with this text. */
function complaintsOf(text: string): string {
  const words = ['eslint', '--stdin', '--stdin-filename', 'src/adapters/http/json-body.ts']
  // Of a single run, the parser takes the text from the disk.
  const env = { ...process.env, TSESTREE_SINGLE_RUN: 'false' }
  return spawnSync('npx', words, { input: text, encoding: 'utf8', env }).stdout
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
}, 60_000)
