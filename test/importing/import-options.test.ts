import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { parseCommandLine } from '../../src/adapters/cli/command-line.js'
import { importForm, readImportOptions } from '../../src/importing/import-options.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const env = { DOSSIER_KEY: 'a-key' }

type Environment = Readonly<Record<string, string | undefined>>

function optionsOf(words: readonly string[], env: Environment) {
  return readImportOptions(parseCommandLine(importForm, words), env)
}

it('missing options come from the environment, and otherwise fit a local service', () => {
  const given = { files: ['f'], name: undefined, key: 'a-key', maxItems: 1_000, concurrency: 4 }
  expect(optionsOf(['f'], env)).toEqual({
    ...given,
    url: 'http://127.0.0.1:3000',
    timeoutMs: 300_000,
  })
  const url = 'https://dossier.example.org/api'
  expect(optionsOf(['f'], { ...env, DOSSIER_URL: url })).toMatchObject({ url })
  expect(optionsOf(['f', '--url', 'http://b'], { ...env, DOSSIER_URL: url })).toMatchObject({
    url: 'http://b',
  })
})

it('the key is read from a file', () => {
  const path = join(folder(), 'key')
  writeFileSync(path, 'of-a-file\n')
  expect(optionsOf(['f', '--key-file', path], {})).toMatchObject({ key: 'of-a-file' })
})

it.each([
  [[], /needs a file/],
  [['-'], /--name/],
  [['a', 'b', '--name', 'n'], /with one file only/],
  [['f', '--name', '../n'], /--name has/],
  [['f', '--batch', '1001'], /--batch must/],
  [['f', '--in-flight', '0'], /--in-flight must/],
  [['f', '--limit', 'x'], /--limit must/],
  [['f', '--url', 'ftp://a'], /--url must/],
  [['f', '--key-file', '/missing'], /cannot be read/],
])('%j is refused', (words, message) => {
  expect(() => optionsOf(words, env)).toThrow(message)
})

it('a missing or unsendable key is refused, and never repeated in the message', () => {
  expect(() => optionsOf(['f'], {})).toThrow(/no API key/)
  expect(() => optionsOf(['f'], { DOSSIER_KEY: 'se cret' })).toThrow(/^(?!.*se cret)/s)
})
