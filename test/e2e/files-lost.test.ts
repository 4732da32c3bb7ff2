import { copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { sqliteFacts } from '../support/sqlite-facts.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'
import { itThoroughly } from '../support/thoroughness.js'

const folder = temporaryFolders()
const senders = 8

interface Loss {
  readonly what: string
  /** Removes or replaces files of the database at a path. */
  lose(path: string): void
  /** Returns the path of the database with all acknowledged facts after the end. Undefined: none has them. */
  kept(path: string): string | undefined
}

const inPlace = (path: string) => path
const away = (path: string) => `${path}.away`
/** Moves the database back to its path, because its WAL is still there and belongs to it. */
const putBack = (path: string) => {
  renameSync(away(path), path)
  return path
}
const remove = (...endings: readonly string[]) => ({
  what: `dossier.db${endings.join(' and ')} removed`,
  lose: (path: string) => {
    for (const ending of endings) rmSync(`${path}${ending}`)
  },
})

/** Replaces the file by `.older`, an earlier copy. */
const replaced: Loss = {
  what: 'an older copy moved over dossier.db',
  lose: (path) => {
    renameSync(path, away(path))
    renameSync(`${path}.older`, path)
  },
  kept: away,
}

const losses: readonly Loss[] = [
  replaced,
  { ...remove(''), kept: () => undefined },
  {
    what: 'dossier.db moved away',
    lose: (path) => {
      renameSync(path, away(path))
    },
    kept: putBack,
  },
  { ...remove('-wal'), kept: inPlace },
  { ...remove('-shm'), kept: inPlace },
  { ...remove('-wal', '-shm'), kept: inPlace },
  { ...remove('.lock'), kept: inPlace },
]

interface Load {
  readonly acknowledged: readonly string[]
  /** The number of acknowledged events that were sent after the first refusal. */
  readonly afterRefusal: number
  readonly wrong: readonly string[]
}

/** Sends events until the service has ended. Calls `each` with the number of acknowledged events. */
async function load(service: StartedService, each: (count: number) => void): Promise<Load> {
  const acknowledged: string[] = []
  const wrong: string[] = []
  let afterRefusal = 0
  let isRefused = false
  const send = async (): Promise<void> => {
    for (;;) {
      const wasRefused = isRefused
      const body = { entity_external_id: 'ada', name: 'event' }
      const reply = await service.post('/events', body)
      if (reply.status === 201) {
        const { data } = (await reply.json()) as { data: { id: string } }
        acknowledged.push(data.id)
        if (wasRefused) afterRefusal += 1
        each(acknowledged.length)
      } else {
        const { error } = (await reply.json()) as { error: { code: string } }
        if (error.code === 'store_unavailable' || error.code === 'shutting_down') isRefused = true
        else if (error.code !== 'outcome_unknown') wrong.push(error.code)
      }
    }
  }
  await Promise.allSettled(Array.from({ length: senders }, send))
  return { acknowledged, afterRefusal, wrong }
}

async function startWithAda(env: Readonly<Record<string, string>> = {}): Promise<StartedService> {
  const service = await StartedService.start(folder(), { READ_MODEL: 'off', ...env })
  expect((await service.createEntity('ada')).status).toBe(201)
  copyFileSync(service.database, `${service.database}.older`)
  return service
}

async function expectEnded(service: StartedService): Promise<void> {
  expect(await service.ended).toEqual({ code: 1, signal: null })
  const said = service.lines.filter((line) => line.includes('the store is gone'))
  expect(said).toEqual([expect.stringMatching(/dossier\.db\S* was removed, moved or replaced/)])
}

/** Returns the ids that the database does not contain. */
function missingFrom(path: string, ids: readonly string[]): readonly string[] {
  const kept = new Set(sqliteFacts(path, 'entity-ada').map(({ id }) => id))
  return ids.filter((id) => !kept.has(id))
}

async function loseUnderLoad(loss: Loss): Promise<void> {
  const service = await startWithAda()
  const { database } = service
  const atMost = 1 + Math.floor(Math.random() * 500)
  const { acknowledged, afterRefusal, wrong } = await load(service, (count) => {
    if (count === atMost) loss.lose(database)
  })
  await expectEnded(service)
  expect({ afterRefusal, wrong }).toEqual({ afterRefusal: 0, wrong: [] })
  const whole = loss.kept(database)
  if (whole !== undefined) expect(missingFrom(whole, acknowledged)).toEqual([])
}

const rounds = 5

itThoroughly.each(losses)(
  'the service refuses writes and ends under load: $what',
  async (loss) => {
    for (let round = 0; round < rounds; round += 1) await loseUnderLoad(loss)
  },
  120_000,
)

it('no write is acknowledged later than 100 ms after the last check that found the files', async () => {
  const clock = join(folder(), 'clock')
  writeFileSync(clock, '1000')
  const preload = new URL('../support/set-clock.js', import.meta.url).href
  const service = await startWithAda({ CLOCK_FILE: clock, NODE_OPTIONS: `--import ${preload}` })
  rmSync(service.database)
  const record = async () => {
    const reply = await service.post('/events', { entity_external_id: 'ada', name: 'event' })
    return reply.status
  }
  writeFileSync(clock, '1099')
  expect(await record()).toBe(201)
  writeFileSync(clock, '1100')
  expect(await record()).toBe(503)
  await expectEnded(service)
}, 60_000)
