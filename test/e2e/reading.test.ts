import { join } from 'node:path'
import { expect } from '@jest/globals'
import { holdFiles } from '../support/hold-file.js'
import { itWithStrace } from '../support/strace.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'
import { nextLook } from '../support/next-look.js'

const folder = temporaryFolders()
const readModel = 'data/read-model.db'

function start(place: string, env: Readonly<Record<string, string>> = {}) {
  return StartedService.start(place, { READ_MODEL: readModel, ...env })
}

function read(service: StartedService, path: string, headers: Record<string, string> = {}) {
  return fetch(`${service.origin}${path}`, {
    headers: { authorization: `Bearer ${service.key}`, ...headers },
  })
}

/** Creates an entity and records this many events. Returns the position of the last one. */
async function write(service: StartedService, id: string, events: number): Promise<string> {
  let reply = await service.createEntity(id)
  for (let n = 0; n < events; n += 1) {
    reply = await service.post('/events', { entity_external_id: id, name: 'buy' })
  }
  return reply.headers.get('position') ?? ''
}

async function countOf(reply: Response): Promise<number> {
  const { data } = (await reply.json()) as { data: { event_count: number } }
  return data.event_count
}

itWithStrace(
  'a hanging disk of the read model delays only reads, and no longer than their timeout',
  async () => {
    const place = folder()
    const service = await start(place, { READ_WAIT_MS: '300' })
    const known = await write(service, 'ada', 1)
    expect((await read(service, '/entities/ada', { Position: known })).status).toBe(200)
    const file = join(place, readModel)
    const hold = await holdFiles(service.pid, [file, `${file}-wal`])
    await write(service, 'eve', 1)
    // Answers come from memory until the disk is needed.
    while ((await read(service, '/entities/ada')).status !== 503) await nextLook()
    const position = await write(service, 'bob', 2)
    const waiting = await read(service, '/entities/bob', { Position: position })
    expect(waiting.status).toBe(503)
    expect(Number(waiting.headers.get('position'))).toBeLessThan(Number(position))
    expect(await waiting.json()).toMatchObject({ error: { code: 'read_model_behind' } })
    expect((await read(service, '/health/ready/reads')).status).toBe(503)
    expect((await read(service, '/health/live')).status).toBe(200)
    expect((await read(service, '/health/ready')).status).toBe(200)
    expect((await service.createEntity('joe')).status).toBe(201)
    await hold.release()
    let reply = await read(service, '/entities/bob', { Position: position })
    while (reply.status === 503) {
      await nextLook()
      reply = await read(service, '/entities/bob', { Position: position })
    }
    expect(await countOf(reply)).toBe(2)
    expect((await service.end()).code).toBe(0)
  },
  60_000,
)
