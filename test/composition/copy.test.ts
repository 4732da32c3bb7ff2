import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { copyBetweenStores } from '../../src/composition/commands.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const silent = { begin: () => undefined, done: () => undefined, end: () => undefined }

it.each<[string, (place: string) => { from: string; to: string }, RegExp]>([
  [
    'a source without lasting facts',
    (to) => ({ from: 'memory:', to }),
    /--from must be sqlite:PATH/,
  ],
  [
    'EventStoreDB as a source',
    (to) => ({ from: 'esdb://127.0.0.1:1?tls=false', to }),
    /from a SQLite file to another file or to EventStoreDB, and not back/,
  ],
  ['a target that is not a store', (from) => ({ from, to: 'x' }), /--to must be sqlite:PATH/],
  ['one store twice', (url) => ({ from: url, to: url }), /are the same store/],
  ['a source that is missing', (from) => ({ from, to: `${from}2` }), /missing or empty/],
])('refuses %s, and creates nothing', async (_, urls, message) => {
  const place = folder()
  const refusal = copyBetweenStores(urls(`sqlite:${join(place, 'dossier.db')}`), silent)
  await expect(refusal).rejects.toThrow(message)
  expect(readdirSync(place)).toEqual([])
})
