import { chmodSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execFileSync, spawnSync } from 'node:child_process'
import type { Readable } from 'node:stream'
import { describe, expect, it } from '@jest/globals'
import { itThoroughly, quickOrThorough } from '../support/thoroughness.js'
import { portToOpenLater } from '../support/port-to-open-later.js'
import { RawConnection } from '../support/raw-connection.js'
import { rawGet } from '../support/raw-request.js'
import { sharedService } from '../support/shared-service.js'
import { launch, program, runToEnd, StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()

const apiKey = 'a-key-of-our-own-choosing'

/** Runs the program as another user if root runs the tests, because root can write everywhere. */
const asUser = process.geteuid?.() === 0 ? ['setpriv', '--reuid=65534', '--clear-groups'] : []
const user = asUser.length > 0 ? 65_534 : process.geteuid?.()
const [command, ...words] = [...asUser, 'test', '-r', program]
const itAsUser = spawnSync(command, words).status === 0 ? it : it.skip

type Owned = readonly [string, Record<string, string>, string]

const owned: readonly Owned[] = [['the data', {}, 'dossier.db.lock cannot be taken']]
/** More folders, whose files are opened in the same way. */
const moreOwned: readonly Owned[] = [
  ['the keys', { STORE_URL: 'memory:' }, 'first-key was not changed'],
  [
    'the read model',
    { STORE_URL: 'memory:', API_KEY: apiKey, READ_MODEL: 'data/read-model.db' },
    'read-model.db.lock cannot be taken',
  ],
]

itAsUser.each([...owned, ...quickOrThorough({ quick: [], thorough: moreOwned })])(
  'a start that may not write to the folder of %s names the user who must own it',
  async (_, env, said) => {
    const place = folder()
    const data = join(place, 'data')
    mkdirSync(data)
    chmodSync(place, 0o755)
    chmodSync(data, 0o555)
    const { code, lines } = await runToEnd(place, env, asUser)
    expect(code).toBe(1)
    expect(lines.join('\n')).toContain(said)
    const owner = new RegExp(`/data and (its files|what is in it) belong to user ${String(user)},`)
    expect(lines.join('\n')).toMatch(owner)
  },
)

/** The tests below run in order, and each continues where the previous one ended. */
describe('a service, from its first start to its stop', () => {
  const first = sharedService()

  it('creates a key, and prints two commands that work when pasted', async () => {
    const service = first()
    await service.line((line) => line.startsWith('curl ') && line.includes('/events'))
    const commands = service.lines.filter((line) => line.startsWith('curl '))
    expect(commands).toHaveLength(2)
    const replies = commands.map((command) =>
      execFileSync('sh', ['-c', command], { cwd: service.folder, encoding: 'utf8' }),
    )
    expect(replies.map((reply) => JSON.parse(reply) as unknown)).toMatchObject([
      { status: 'success', data: { external_id: 'ada' } },
      { status: 'success', data: { entity_external_id: 'ada', name: 'login' } },
    ])
    expect(statSync(join(service.folder, 'data', 'first-key')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(service.folder, 'data', 'api-keys.json'), 'utf8')).not.toContain(
      service.key,
    )
  })

  it('locks its data: a second start reports the owner of the lock', async () => {
    const { pid, folder: place } = first()
    const { code, lines } = await runToEnd(place, {})
    expect(code).toBe(1)
    expect(lines.join('\n')).toMatch(
      new RegExp(`in use by process ${String(pid)} on .*Nothing was changed`),
    )
  })

  it('starts again after a kill; its stop answers requests in flight, refuses others, and exits with 0', async () => {
    await first().end('SIGKILL')
    const service = await StartedService.start(first().folder, { SHUTDOWN_DELAY_MS: '1' })
    expect((await service.createEntity('ada')).status).toBe(409)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const idle = await get(`${service.origin}/health/ready`, agent)
    expect(idle.status).toBe(200)
    const body = JSON.stringify({ entity_external_id: 'ada', name: 'last' })
    const slow = slowPost(service, body)
    await slow.begun
    service.signal('SIGTERM')
    await lineWith(service, '"stopping"')
    await unreachable(service.origin)
    const refused = await get(`${service.origin}/openapi.json`, agent)
    expect(refused).toEqual({
      status: 503,
      connection: 'close',
      code: 'shutting_down',
    })
    slow.finish()
    expect(await slow.status).toBe(201)
    expect(await service.ended).toEqual({ code: 0, signal: null })
    agent.destroy()
    for (const life of [first(), service]) {
      expect(life.lines.join('\n')).not.toContain(service.key)
    }
  })
})

/** The tests below run in order, and each continues where the previous one ended. */
describe('a service with an API_KEY', () => {
  const own = sharedService({
    STORE_URL: 'memory:',
    API_KEY: apiKey,
    SHUTDOWN_DELAY_MS: '60000',
    STORE_ULR: 'a-secret',
    HOME: '/',
  })
  const authorization = `Bearer ${apiKey}`

  it('logs its address, its store and its version, and creates no key', async () => {
    const line = own().lines.find((one) => one.includes('is listening'))
    expect(JSON.parse(line ?? '')).toMatchObject({
      msg: 'dossier is listening',
      address: own().origin,
      store: 'memory:',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
    expect(own().key).toBe('')
    expect((await own().createEntity('ada', { authorization })).status).toBe(201)
  })

  it('reports a misspelt setting once in its log, without its value', () => {
    const warnings = own().lines.filter((line) => line.includes('is not a setting'))
    expect(warnings).toEqual([
      expect.stringContaining('"msg":"STORE_ULR is not a setting: did you mean STORE_URL?"'),
    ])
    expect(own().lines.join('\n')).not.toContain('a-secret')
  })

  it('is not ready while it drains, and still serves; a second signal ends it with 1', async () => {
    const service = own()
    service.signal('SIGTERM')
    await lineWith(service, '"stopping"')
    const ready = await fetch(`${service.origin}/health/ready`)
    expect(ready.status).toBe(503)
    expect(ready.headers.get('retry-after')).toBe('1')
    expect((await service.createEntity('eve', { authorization })).status).toBe(201)
    service.signal('SIGTERM')
    expect((await service.ended).code).toBe(1)
    expect(service.lines.join('\n')).not.toContain(apiKey)
    expect(service.lines.join('\n')).not.toContain('unusable')
  })
})

describe('a start that fails', () => {
  it('reports every invalid setting, one per line', async () => {
    const env = {
      PORT: 'http',
      BODY_LIMIT: '1',
      STORE_URL: 'postgres://secret',
      LOG_REQUESTS: 'yes',
    }
    const { code, lines } = await runToEnd(folder(), env)
    expect(code).toBe(1)
    expect(lines).toEqual([
      'dossier: PORT must be a whole number from 0 to 65535',
      'dossier: STORE_URL must be sqlite:PATH, or memory:, or a connection string of EventStoreDB or KurrentDB (kurrentdb://HOST:PORT?tls=false)',
      'dossier: BODY_LIMIT must be a whole number from 1024 to 1048576',
      'dossier: LOG_REQUESTS must be on or off',
    ])
  })

  itThoroughly('reports an address that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const place = folder()
    const { code, lines } = await runToEnd(place, { PORT: String(port) })
    expect(code).toBe(1)
    expect(existsSync(join(place, 'data', 'first-key'))).toBe(false)
    expect(existsSync(join(place, 'data', 'api-keys.json'))).toBe(false)
    expect(lines).toEqual([
      `dossier: port ${String(port)} of 127.0.0.1 is in use: stop the other process, or set PORT to a free port`,
    ])
    other.close()
  })
})

describe('a log that cannot be written', () => {
  const inMemory = { STORE_URL: 'memory:', API_KEY: apiKey, LOG_REQUESTS: 'true' }
  const itWithFullDevice = existsSync('/dev/full') ? it : it.skip

  itWithFullDevice('neither stops the service nor prevents its stop', async () => {
    const port = await portToOpenLater()
    const env = { ...inMemory, PORT: String(port) }
    const service = launch(folder(), env, openSync('/dev/full', 'w'))
    const origin = `http://127.0.0.1:${String(port)}`
    // The first log line, which says that the service listens, could not be written.
    expect(await firstLine(service.stderr)).toMatch(/^dossier: the log cannot be written: ENOSPC/)
    for (let n = 0; n < 20; n += 1) {
      expect((await fetch(`${origin}/health/ready`)).status).toBe(200)
    }
    const ended = once(service, 'exit')
    service.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  itThoroughly('does not delay the stop when its reader hangs', async () => {
    const service = launch(folder(), inMemory)
    const { address } = JSON.parse(await firstLine(service.stdout)) as { address: string }
    // Nothing reads the output after this line.
    service.stdout?.pause()
    const connection = await RawConnection.open(Number(new URL(address).port))
    // Writes more lines than the pipe and the buffer can hold.
    const requests = 6_000
    for (let asked = 0; asked < requests; asked += 500) {
      connection.send(rawGet('/health/live').repeat(500))
      for (let n = 0; n < 500; n += 1) expect((await connection.reply()).status).toBe(200)
    }
    connection.cut()
    const ended = once(service, 'exit')
    service.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })
})

describe('a stop', () => {
  it('exits with 1 after its timeout, and logs the number of cut requests', async () => {
    const service = await StartedService.start(folder(), { SHUTDOWN_TIMEOUT_MS: '200' })
    await service.createEntity('ada')
    const slow = slowPost(service, JSON.stringify({ entity_external_id: 'ada', name: 'late' }))
    const cut = expect(slow.status).rejects.toMatchObject({ code: 'ECONNRESET' })
    await slow.begun
    service.signal('SIGINT')
    expect(await service.ended).toEqual({ code: 1, signal: null })
    await cut
    expect(service.lines.join('\n')).toMatch(/"unanswered":1.*these requests were cut off/)
  })
})

/** Sends a request whose headers have arrived. `finish` sends the body. */
function slowPost(service: StartedService, body: string) {
  const sent = request(`${service.origin}/events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  })
  sent.flushHeaders()
  const begun = new Promise<void>((resolve) => sent.once('continue', resolve))
  const status = new Promise<number | undefined>((resolve, reject) => {
    sent.once('error', reject)
    sent.once('response', (reply) => {
      reply.resume()
      resolve(reply.statusCode)
    })
  })
  return { begun, status, finish: () => sent.end(body) }
}

function get(url: string, agent: Agent) {
  return new Promise<{ status: number | undefined; connection?: string; code?: string }>(
    (resolve, reject) => {
      request(url, { agent }, (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.on('end', () => {
          const status = reply.statusCode
          if (status === 200) {
            resolve({ status })
            return
          }
          const { error } = JSON.parse(Buffer.concat(chunks).toString()) as {
            error: { code: string }
          }
          resolve({ status, connection: reply.headers.connection ?? '', code: error.code })
        })
      })
        .once('error', reject)
        .end()
    },
  )
}

async function lineWith(service: StartedService, text: string): Promise<void> {
  await Promise.race([
    service.line((line) => line.includes(text)),
    service.ended.then(() => {
      throw new Error(`the service ended without saying ${text}`)
    }),
  ])
}

/** Reads the first line, and nothing more. */
async function firstLine(output: Readable | null): Promise<string> {
  if (output === null) throw new TypeError('the program was started without a pipe')
  let text = ''
  while (!text.includes('\n')) text += String((await once(output, 'data'))[0])
  return text.slice(0, text.indexOf('\n'))
}

/** Resolves when the service accepts no new connection. */
async function unreachable(origin: string): Promise<void> {
  for (;;) {
    const taken = await fetch(`${origin}/health/live`, { headers: { connection: 'close' } }).then(
      () => true,
      () => false,
    )
    if (!taken) return
  }
}
