import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { openDatabase } from '../../src/adapters/sqlite/file/driver.js'
import { valueOf } from '../../src/adapters/sqlite/file/schema.js'
import { allPurged, startErasing } from '../support/erasing-service.js'
import { quickOrThorough, itThoroughly } from '../support/thoroughness.js'
import { nextLook } from '../support/next-look.js'
import { openSqliteStore } from '../support/open-sqlite-store.js'
import { runProgram } from '../support/run-program.js'
import { startedProgram } from '../support/started-programs.js'
import { sharedService } from '../support/shared-service.js'
import type { StartedService } from '../support/started-service.js'
import { creation } from '../support/stored-facts.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()

const readModel = 'data/read-model.db'

function audit(cwd: string, words: readonly string[] = [], env = {}) {
  return runProgram(startedProgram('dossier'), ['audit', ...words], { cwd, ...env })
}

function shown(stdout: string, label: string): string | undefined {
  const line = stdout.split('\n').find((one) => one.startsWith(`${label}  `))
  return line?.slice(label.length).trim()
}

/** Defines a segment with half of the entities, and waits until it is live. */
async function withMembers(service: StartedService, entities: number): Promise<void> {
  const headers = {
    authorization: `Bearer ${service.key}`,
    'content-type': 'application/json',
  }
  const rule = { event: 'login', within: '30d' }
  const body = JSON.stringify({ title: 'Active', kind: 'rule', rule })
  const url = `${service.origin}/segments/active`
  expect((await fetch(url, { method: 'PUT', headers, body })).status).toBe(201)
  for (let n = 0; n < entities; n += 1) {
    const id = `customer-${String(n)}`
    expect((await service.createEntity(id)).status).toBe(201)
    if (n % 2 === 0) await service.post('/events', { entity_external_id: id, name: 'login' })
  }
  for (let data = { status: 'building', members: 0 }; data.status !== 'live' || data.members < 5;) {
    const reply = await fetch(url, { headers })
    data = ((await reply.json()) as { data: typeof data }).data
  }
}

/** Waits until the table has this many rows in the file, because the read model commits some time after it answers. */
async function committed(path: string, table: string, rows: number): Promise<void> {
  const db = openDatabase(path)
  while (valueOf(db, `SELECT count(*) FROM ${table}`) !== rows) await nextLook()
  db.close()
}

/** Copies what is committed in the file of a running service. */
function copyCommitted(path: string, copy: string): void {
  const db = openDatabase(path)
  db.exec(`VACUUM INTO '${copy}'`)
  db.close()
}

describe('the data of a stopped service', () => {
  const service = sharedService({ READ_MODEL: readModel })

  /** Copies the service's folder, so that a test can change it. */
  function copied(): string {
    const place = folder()
    cpSync(join(service().folder, 'data'), join(place, 'data'), { recursive: true })
    return place
  }

  function change(place: string, sql: string): void {
    const db = openDatabase(join(place, readModel))
    db.exec(sql)
    db.close()
  }

  it('fails an audit while there are no facts to fold', async () => {
    const empty = await audit(service().folder)
    expect(empty.code).toBe(1)
    expect(empty.stderr).toBe('audit: no entity was folded: the facts create none\n')
    expect(shown(empty.stdout, 'segments')).toBe('none')
  })

  it('can be audited while the service runs and after its end', async () => {
    const place = service().folder
    await withMembers(service(), 10)
    await committed(join(place, readModel), 'members', 5)
    const beside = await audit(place)
    expect(beside).toMatchObject({ code: 0, stderr: '' })
    expect(shown(beside.stdout, 'members counted')).toBe('5')
    expect(beside.stdout).toMatch(
      /^about [0-9]+ facts and 1 min; needs [0-9]+ MB of disk in \/.*\n/,
    )
    expect(shown(beside.stdout, 'segments')).toBe('active version 1')
    expect(shown(beside.stdout, 'entities folded')).toBe('10')

    expect((await service().createEntity('another')).status).toBe(201)
    await service().end()
    const files = readdirSync(join(place, 'data'))
    const after = await audit(place, ['--entities', '3'])
    expect(after).toMatchObject({ code: 0, stderr: '' })
    expect(shown(after.stdout, 'entities')).toBe('11')
    expect(shown(after.stdout, 'entities folded')).toBe('3')
    expect(readdirSync(join(place, 'data'))).toEqual(files)
  })

  it('is reported as damaged', async () => {
    const place = copied()
    change(place, 'DELETE FROM members WHERE entity = (SELECT max(entity) FROM members)')
    const damaged = await audit(place)
    expect(damaged.code).toBe(1)
    expect(shown(damaged.stdout, 'differences')).toBe('3')
    expect(damaged.stderr).toMatch(
      /^audit: active version 1: its number of members is 5, counted 4$/m,
    )
    expect(damaged.stderr).toMatch(
      /^audit: entity customer-[0-9]: its membership in active version 1 is none, rebuilt since /m,
    )
  })

  it('is refused with 2 when the read model was built from other facts', async () => {
    const other = join(folder(), 'other.db')
    const store = await openSqliteStore(other)
    // This store has at least as many facts, so the position that was read last exists here, too.
    for (let n = 0; n < 50; n += 1) await store.append(creation(`entity-${String(n)}`))
    await store.close()
    const mixed = await audit(copied(), [], { STORE_URL: `sqlite:${other}`, READ_MODEL: readModel })
    expect(mixed.stderr).toMatch(/does not belong to the facts of STORE_URL: start the service/)
    expect(mixed.code).toBe(2)
  })

  itThoroughly('is refused with 2 when the read model was built by another version', async () => {
    const place = copied()
    change(place, "UPDATE form SET fingerprint = 'of before'")
    const old = await audit(place)
    expect(old.stderr).toMatch(/was written by another version: start the service/)
    expect(old.code).toBe(2)
  })
})

it('skips an entity that is erased after the read model was written', async () => {
  const place = folder()
  const data = join(place, 'data')
  const { service, client } = await startErasing(place)
  for (const id of ['ada', 'bob']) {
    await client.entities.create(id, { properties: { plan: 'paid' } })
    await client.entities.record(id, { name: 'login' })
  }
  const before = join(place, 'before.db')
  await committed(join(place, readModel), 'entities', 2)
  copyCommitted(join(place, readModel), before)
  await client.erasures.begin('ada')
  await allPurged(client)
  await service.end()
  for (const name of readdirSync(data)) {
    if (/^read-model\.db(-wal|-shm)?$/.test(name)) rmSync(join(data, name))
  }
  cpSync(before, join(place, readModel))
  const audited = await audit(place, [], { READ_MODEL: readModel })
  expect(audited).toMatchObject({ code: 0, stderr: '' })
  expect(shown(audited.stdout, 'skipped')).toBe('entity ada: it is being erased')
  expect(shown(audited.stdout, 'entities')).toBe('1')
})

type Refusal = readonly [string, readonly string[], Record<string, string>, RegExp]

const refusals: readonly Refusal[] = [
  ['a missing read model', [], {}, /does not exist: start the service once/],
]
/** More invalid arguments and settings. Only thorough runs test these. */
const moreRefusals: readonly Refusal[] = [
  ['unknown arguments', ['--colour', 'red'], {}, /no option --colour/],
  ['an invalid number', ['--entities', '0'], {}, /must be a whole number/],
  ['invalid settings', [], { STORE_URL: 'x' }, /STORE_URL must be/],
  ['a read model that is off', [], { READ_MODEL: 'off' }, /set STORE_URL and READ_MODEL/],
  ['a read model in memory', [], { STORE_URL: 'memory:' }, /set STORE_URL and READ_MODEL/],
]

it.each([...refusals, ...quickOrThorough({ quick: [], thorough: moreRefusals })])(
  'an audit refuses %s with 2, and writes nothing',
  async (_, words, env, message) => {
    const place = folder()
    const ended = await audit(place, words, env)
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toMatch(message)
    expect(readdirSync(place)).toEqual([])
  },
)

itThoroughly('an audit refuses unusable files with 2, and leaves them unchanged', async () => {
  const place = folder()
  mkdirSync(join(place, 'data'))
  writeFileSync(join(place, readModel), 'no database at all')
  const foreign = await audit(place)
  expect(foreign).toMatchObject({ code: 2, stdout: '' })
  expect(foreign.stderr).toMatch(/is not a Dossier file for READ_MODEL/)
  expect(existsSync(join(place, `${readModel}.unreadable`))).toBe(false)
})
