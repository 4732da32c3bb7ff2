import { linkSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { MemoryEventStore } from '../../src/adapters/memory/memory-event-store.js'
import { openReadModel } from '../../src/composition/read-model.js'
import { readSettings, SettingsWrong } from '../../src/composition/settings.js'
import type { OpenStore } from '../../src/composition/store-kind.js'
import { noExactAppends } from '../support/no-exact-appends.js'
import { silentLog } from '../support/silent-log.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()

/** Returns a store that behaves as if its facts were in a file. The tests never query it. */
function openStore(): OpenStore {
  const store = new MemoryEventStore()
  return {
    ...noExactAppends,
    append: (append) => store.append(append),
    readLast: (stream) => store.readLast(stream),
    check: () => store.check(),
    time: undefined,
    log: undefined,
    commitMemory: undefined,
    erasable: undefined,
    findKeysIn: () => undefined,
    close: () => store.close(),
  }
}

test.each([
  ['the same path', (path: string) => path],
  ['a relative path', (path: string) => relative(process.cwd(), path)],
  [
    'a link to the file',
    (path: string) => {
      symlinkSync(path, `${path}-link`)
      return `${path}-link`
    },
  ],
])('a read model in the file of the facts is refused by name: %s', async (_, spelled) => {
  const path = join(folder(), 'facts.db')
  writeFileSync(path, '')
  const settings = readSettings({ STORE_URL: `sqlite:${path}`, READ_MODEL: spelled(path) })
  const opening = openReadModel(settings, openStore(), silentLog)
  await expect(opening).rejects.toBeInstanceOf(SettingsWrong)
  await expect(opening).rejects.toThrow('READ_MODEL and STORE_URL must name different files')
})

test('a read model that is off is undefined', async () => {
  const settings = readSettings({ STORE_URL: 'memory:', READ_MODEL: 'off' })
  expect(await openReadModel(settings, openStore(), silentLog)).toBeUndefined()
})

describe('a read model at the path of another file of the service', () => {
  /** Returns a folder with the files of a store and of keys. One of them is missing. */
  function placeWithFiles(): string {
    const place = folder()
    const names = ['facts.db', 'facts.db-wal', 'facts.db-shm', 'facts.db.lock', 'keys.json']
    for (const name of names) writeFileSync(join(place, name), `content of ${name}`)
    return place
  }

  /** Returns the content of every file in the folder, by name. */
  const contents = (place: string) =>
    readdirSync(place).map((name) => [name, readFileSync(join(place, name), 'utf8')])

  /** Returns the error of opening the read model at this path. Undefined: it was opened. */
  async function refusalAt(place: string, readModel: string): Promise<unknown> {
    const settings = readSettings({
      STORE_URL: `sqlite:${join(place, 'facts.db')}`,
      API_KEYS_FILE: join(place, 'keys.json'),
      READ_MODEL: readModel,
    })
    const store = new MemoryEventStore()
    try {
      const model = await openReadModel(settings, { ...openStore(), log: store.log }, silentLog)
      await model?.close()
      return undefined
    } catch (error) {
      return error
    }
  }

  const keysFault = 'READ_MODEL and API_KEYS_FILE must not share files'
  const storeFault = 'READ_MODEL and STORE_URL must not share files'

  test.each([
    ['the keys file', 'keys.json', keysFault],
    ['the future file of the first key', 'first-key', keysFault],
    ['the future lock of the key commands', 'keys.json.lock', keysFault],
    ['the log of the store', 'facts.db-wal', storeFault],
    ['the index of that log', 'facts.db-shm', storeFault],
    ['the lock of the store', 'facts.db.lock', storeFault],
    ['a file that the store creates at its start', 'facts.db.new', storeFault],
  ])('is refused, and nothing is changed: %s', async (_, name, fault) => {
    const place = placeWithFiles()
    const before = contents(place)
    const path = join(place, name)
    const spellings = [path, relative(process.cwd(), path), join(place, '.', 'x', '..', name)]
    for (const spelled of spellings) {
      expect(await refusalAt(place, spelled)).toEqual(new SettingsWrong([fault]))
    }
    expect(contents(place)).toEqual(before)
  })

  test.each([
    ['a symbolic link', symlinkSync],
    ['a hard link', linkSync],
  ])('is refused, and nothing is changed, over %s', async (_, link) => {
    const place = placeWithFiles()
    const other = folder()
    link(join(place, 'keys.json'), join(other, 'model'))
    link(join(place, 'facts.db-wal'), join(other, 'log'))
    symlinkSync(place, join(other, 'place'))
    const before = contents(place)
    expect(await refusalAt(place, join(other, 'model'))).toEqual(new SettingsWrong([keysFault]))
    expect(await refusalAt(place, join(other, 'log'))).toEqual(new SettingsWrong([storeFault]))
    expect(await refusalAt(place, join(other, 'place', 'first-key'))).toEqual(
      new SettingsWrong([keysFault]),
    )
    expect(contents(place)).toEqual(before)
  })

  test.each(['.building', '.lock', '-copying', '-wal', '.unreadable'])(
    'is refused when one of its own files would be the keys file: %s',
    async (ending) => {
      const place = placeWithFiles()
      symlinkSync(join(place, 'keys.json'), join(place, `model${ending}`))
      const before = contents(place)
      expect(await refusalAt(place, join(place, 'model'))).toEqual(new SettingsWrong([keysFault]))
      expect(contents(place)).toEqual(before)
    },
  )

  test('is opened at a free path beside these files', async () => {
    const place = placeWithFiles()
    expect(await refusalAt(place, join(place, 'facts.db.model'))).toBeUndefined()
    expect(readFileSync(join(place, 'keys.json'), 'utf8')).toBe('content of keys.json')
  })
})
