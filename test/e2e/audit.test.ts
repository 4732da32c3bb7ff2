import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from '@jest/globals'
import { openDatabase } from '../../src/adapters/sqlite/file/driver.js'
import { runProgram } from '../support/run-program.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()

const readModel = 'data/read-model.db'

function audit(cwd: string, words: readonly string[] = [], env = {}) {
  return runProgram(resolve('dist/audit.js'), words, { cwd, ...env })
}

function shown(stdout: string, label: string): string | undefined {
  const line = stdout.split('\n').find((one) => one.startsWith(`${label}  `))
  return line?.slice(label.length).trim()
}

/** A segment of half of them, once it is live. */
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

it('runs beside the service and after it, and tells of damage', async () => {
  const place = folder()
  const service = await StartedService.start(place, { READ_MODEL: readModel })
  await withMembers(service, 10)
  // What is committed: the read model commits some moments after it answers.
  let beside = await audit(place)
  while (shown(beside.stdout, 'members counted') !== '5') beside = await audit(place)
  expect(beside).toMatchObject({ code: 0, stderr: '' })
  expect(shown(beside.stdout, 'segments')).toBe('active version 1')
  expect(shown(beside.stdout, 'entities folded')).toBe('10')

  expect((await service.createEntity('another')).status).toBe(201)
  await service.end()
  const files = readdirSync(join(place, 'data'))
  const after = await audit(place, ['--entities', '3'])
  expect(after).toMatchObject({ code: 0, stderr: '' })
  expect(shown(after.stdout, 'entities')).toBe('11')
  expect(shown(after.stdout, 'entities folded')).toBe('3')
  expect(readdirSync(join(place, 'data'))).toEqual(files)

  const db = openDatabase(join(place, readModel))
  db.exec('DELETE FROM members WHERE entity = (SELECT max(entity) FROM members)')
  db.close()
  const damaged = await audit(place)
  expect(damaged.code).toBe(1)
  expect(shown(damaged.stdout, 'differences')).toBe('3')
  expect(damaged.stderr).toMatch(
    /^audit: active version 1: its number of members is 5, counted 4$/m,
  )
  expect(damaged.stderr).toMatch(
    /^audit: entity [0-9a-f-]{36}: active version 1: since .* by its /m,
  )
})

it.each<[string, readonly string[], Record<string, string>, RegExp]>([
  ['words that it does not know', ['--colour', 'red'], {}, /not understood\nUsage/],
  ['a number that is none', ['--entities', '0'], {}, /must be a whole number .*\nUsage/],
  ['settings that are wrong', [], { STORE_URL: 'x' }, /STORE_URL must be/],
  ['a read model that is off', [], { READ_MODEL: 'off' }, /set STORE_URL and READ_MODEL/],
  ['a read model in memory', [], { STORE_URL: 'memory:' }, /set STORE_URL and READ_MODEL/],
  ['a read model that is not there', [], {}, /is not there: start the service once/],
])('refuses %s with 2, and makes nothing', async (_, words, env, message) => {
  const place = folder()
  const ended = await audit(place, words, env)
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(message)
  expect(readdirSync(place)).toEqual([])
})

it('refuses files that cannot be used with 2, and leaves them as they are', async () => {
  const place = folder()
  mkdirSync(join(place, 'data'))
  writeFileSync(join(place, readModel), 'no database at all')
  const foreign = await audit(place)
  expect(foreign).toMatchObject({ code: 2, stdout: '' })
  expect(foreign.stderr).toMatch(/is no file of Dossier for READ_MODEL/)
  expect(existsSync(join(place, `${readModel}.unreadable`))).toBe(false)
})

it('refuses a read model of other facts or another version with 2', async () => {
  const [place, other] = [folder(), folder()]
  for (const one of [place, other]) {
    const service = await StartedService.start(one, { READ_MODEL: readModel })
    const headers = await service.createEntity('ada')
    const position = headers.headers.get('position') ?? ''
    const read = { authorization: `Bearer ${service.key}`, position }
    expect((await fetch(`${service.origin}/entities/ada`, { headers: read })).status).toBe(200)
    await service.end()
  }
  const mixed = await audit(place, [], {
    STORE_URL: `sqlite:${join(other, 'data/dossier.db')}`,
    READ_MODEL: readModel,
  })
  expect(mixed.stderr).toMatch(/was not made of the facts of STORE_URL: start the service/)
  expect(mixed.code).toBe(2)
  const db = openDatabase(join(place, readModel))
  db.exec("UPDATE form SET fingerprint = 'of before'")
  db.close()
  const old = await audit(place)
  expect(old.stderr).toMatch(/was made by another version: start the service/)
  expect(old.code).toBe(2)
})
