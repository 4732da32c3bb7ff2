import { symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from '@jest/globals'
import { MemoryEventStore } from '../../src/adapters/memory/memory-event-store.js'
import { openReadModel } from '../../src/composition/read-model.js'
import { readSettings, SettingsWrong } from '../../src/composition/settings.js'
import type { OpenStore } from '../../src/composition/store-kind.js'
import { noExactAppends } from '../support/no-exact-appends.js'
import { silentLog } from '../support/silent-log.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()

/** Stands for one whose facts are in a file: nothing is asked of it. */
function openStore(): OpenStore {
  const store = new MemoryEventStore()
  return {
    ...noExactAppends,
    append: (append) => store.append(append),
    check: () => store.check(),
    close: () => store.close(),
  }
}

test.each([
  ['the same path', (path: string) => path],
  ['a relative one', (path: string) => relative(process.cwd(), path)],
  [
    'a link to it',
    (path: string) => {
      symlinkSync(path, `${path}-link`)
      return `${path}-link`
    },
  ],
])('a read model in the file of the facts is refused by its name: %s', async (_, spelled) => {
  const path = join(folder(), 'facts.db')
  writeFileSync(path, '')
  const settings = readSettings({ STORE_URL: `sqlite:${path}`, READ_MODEL: spelled(path) })
  const opening = openReadModel(settings, openStore(), silentLog)
  await expect(opening).rejects.toBeInstanceOf(SettingsWrong)
  await expect(opening).rejects.toThrow('READ_MODEL must be another file than STORE_URL')
})

test('a read model that is off is none', async () => {
  const settings = readSettings({ STORE_URL: 'memory:', READ_MODEL: 'off' })
  expect(await openReadModel(settings, openStore(), silentLog)).toBeUndefined()
})
