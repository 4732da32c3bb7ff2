import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from '@jest/globals'
import { z } from 'zod'
import { startService } from '../../src/composition/service.js'
import { readSettings } from '../../src/composition/settings.js'
import { silentLog } from '../support/silent-log.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const makeFolder = temporaryFolders()
let folder: string
beforeEach(() => {
  folder = makeFolder()
})

function start(keysFile = join(folder, 'api-keys.json'), more: NodeJS.ProcessEnv = {}) {
  const env = {
    PORT: '0',
    // The build writes these files beside the built program alone.
    CONSOLE: 'off',
    CLIENT: 'off',
    READ_MODEL: 'off',
    STORE_URL: `sqlite:${join(folder, 'dossier.db')}`,
    API_KEYS_FILE: keysFile,
    SHUTDOWN_TIMEOUT_MS: '2000',
    ...more,
  }
  return startService(readSettings(env), silentLog, '0.0.0')
}

/** `e2e/start-and-stop.test.ts` tests how the program prints these errors and exits. */
describe('a failed start', () => {
  it('reports a keys file that cannot be read', async () => {
    writeFileSync(join(folder, 'api-keys.json'), '{')
    await expect(start()).rejects.toThrow(/api-keys.json is not JSON. Repair it/)
  })

  it('reports that the first key cannot be created, and leaves no part of it', async () => {
    mkdirSync(join(folder, 'first-key'))
    await expect(start()).rejects.toThrow(/first-key was not changed: .*EISDIR/)
    expect(readdirSync(folder).filter((name) => name.includes('key'))).toEqual(['first-key'])
  })

  const itWithProc = process.platform === 'linux' ? it : it.skip

  itWithProc('reports a keys folder in which no file can be created', async () => {
    await expect(start('/proc/api-keys.json', { ERASE: 'off' })).rejects.toThrow(
      /^\/proc\/first-key was not changed: /,
    )
  })

  it('because of a port in use creates no file', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = z.object({ port: z.number() }).parse(other.address())
    const data = join(folder, 'data')
    const settings = { PORT: String(port), STORE_URL: `sqlite:${join(data, 'dossier.db')}` }
    await expect(start(join(data, 'api-keys.json'), settings)).rejects.toThrow(/set PORT to a free/)
    expect(readdirSync(folder)).toEqual([])
    other.close()
  })

  it('because of a read model of another program creates no file', async () => {
    const file = join(folder, 'foreign.db')
    writeFileSync(file, 'the file of another program')
    const data = join(folder, 'data')
    const settings = { READ_MODEL: file, STORE_URL: `sqlite:${join(data, 'dossier.db')}` }
    const started = start(join(data, 'api-keys.json'), settings)
    await expect(started).rejects.toThrow(/foreign.db is not a read model: point READ_MODEL at/)
    expect(readdirSync(folder)).toEqual(['foreign.db'])
  })

  it('reports a ledger of erasures that cannot be written', async () => {
    writeFileSync(join(folder, 'file'), '')
    const ledger = { ERASE_LEDGER: join(folder, 'file', 'ledger') }
    await expect(start(undefined, ledger)).rejects.toThrow(/^ERASE_LEDGER .* cannot be written/)
    const service = await start(undefined, { ...ledger, ERASE: 'off' })
    await service.stop()
  })

  it('leaves the store and the read model to the next start', async () => {
    const env = { READ_MODEL: join(folder, 'read-model.db') }
    mkdirSync(join(folder, 'first-key'))
    await expect(start(undefined, env)).rejects.toThrow()
    const service = await start(join(folder, 'keys', 'api-keys.json'), env)
    await service.stop()
  })
})

it('GET /status names the kind of store, and not its location', async () => {
  const key = 'a-key-of-this-test-0123456789'
  const service = await start(join(folder, 'api-keys.json'), { API_KEY: key })
  const headers = { authorization: `Bearer ${key}` }
  const body = await (await fetch(`${service.origin}/status`, { headers })).text()
  await service.stop()
  expect(JSON.parse(body)).toMatchObject({ data: { store_kind: 'sqlite', store: 'ready' } })
  expect(body).not.toContain(folder)
})
