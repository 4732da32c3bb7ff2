import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
let service: StartedService

beforeEach(async () => {
  service = await StartedService.start(folder())
})

afterEach(async () => {
  await service.end()
})

function keys(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [resolve('dist/keys.js'), ...words],
    {
      cwd: service.folder,
      encoding: 'utf8',
      env: {},
    },
  )
  return { status, result: stdout.trim(), remark: stderr.trim() }
}

function statusWith(key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` }
  return service.createEntity('ada', headers).then(({ status }) => status)
}

/** Asks again until the answer is no longer `status`: a change applies within two seconds. */
async function statusAfter(key: string, status: number): Promise<number> {
  for (;;) {
    const now = await statusWith(key)
    if (now !== status) return now
  }
}

it('creates a key that a running service takes, and revokes it without a restart', async () => {
  const made = keys('create', '--name', 'web', '--scope', 'write')
  expect(made).toMatchObject({ status: 0, remark: expect.stringContaining('shown this once') })
  expect(made.result).toMatch(/^dossier_[0-9a-f]{12}_[0-9a-f]{64}_[0-9a-f]{8}$/)
  expect(await statusAfter(made.result, 401)).toBe(201)
  expect(keys('list').result).toMatch(/"web" {2}write {2}created .* live/)
  expect(keys('revoke', 'web').status).toBe(0)
  expect(await statusAfter(made.result, 409)).toBe(401)
  expect(keys('list').result).toMatch(/"web" {2}write {2}created .* revoked/)
  const file = readFileSync(join(service.folder, 'data', 'api-keys.json'), 'utf8')
  expect(file).not.toContain(made.result)
  expect(service.lines.join('\n')).not.toContain(made.result)
})

it('forbids writing to a key that may only read', async () => {
  const { result } = keys('create', '--name', 'reports', '--scope', 'read')
  expect(await statusAfter(result, 401)).toBe(403)
})

it('keeps the last good keys in force when the file breaks or goes, and takes it back', async () => {
  const path = join(service.folder, 'data', 'api-keys.json')
  const good = readFileSync(path)
  const complaint = (line: string) => line.includes('keys file is unusable')
  writeFileSync(path, '{')
  await service.line(complaint)
  expect(await statusWith(service.key)).toBe(201)
  rmSync(path)
  await service.line((line) => complaint(line) && line.includes('is gone'))
  expect(await statusWith(service.key)).toBe(409)
  writeFileSync(path, good)
  await service.line((line) => line.includes('was read again'))
})

it.each([
  [[], /Usage:\n {2}node dist\/keys.js create/],
  [['create', '--name', 'web'], /needs --name and --scope/],
  [['create', '--name', 'web', '--scope', 'admin'], /takes read or write/],
  [['create', '--name', 'first-key', '--scope', 'read'], /choose another name/],
  [['create', '--colour', 'red'], /Unknown option/],
  [['revoke'], /needs one id or name/],
  [['revoke', 'nobody'], /no live key/],
])('refuses the words %j and says why', (words, message) => {
  const { status, result, remark } = keys(...words)
  expect({ status, result }).toEqual({ status: 1, result: '' })
  expect(remark).toMatch(message)
})
