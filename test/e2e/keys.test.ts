import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { createKey, revokeKey } from '../../src/adapters/api-keys/manage-keys.js'
import { quickOrThorough, thoroughly } from '../support/thoroughness.js'
import { RawConnection } from '../support/raw-connection.js'
import { sharedService } from '../support/shared-service.js'
import { startedProgram } from '../support/started-programs.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'
import { nextLook } from '../support/next-look.js'

const folder = temporaryFolders()
const service = sharedService()
let made = 0

function keys(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [startedProgram('dossier'), 'keys', ...words],
    {
      cwd: service().folder,
      encoding: 'utf8',
      env: {},
    },
  )
  return { status, result: stdout.trim(), remark: stderr.trim() }
}

/** Returns the status of a creation with this key. Each call creates another entity. */
function statusWith(key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` }
  return service()
    .createEntity(`entity-${String((made += 1))}`, headers)
    .then(({ status }) => status)
}

/**
 * Repeats the request until its status differs from `status`. A change of the keys applies within two seconds.
 */
async function statusAfter(key: string, status: number): Promise<number> {
  for (;;) {
    const now = await statusWith(key)
    if (now !== status) return now
    await nextLook()
  }
}

it('a created key works and a revoked key stops working without a restart', async () => {
  const web = keys('create', '--name', 'web', '--scope', 'write')
  expect(web).toMatchObject({ status: 0, remark: expect.stringContaining('shown this once') })
  expect(web.result).toMatch(/^dossier_[0-9a-f]{12}_[0-9a-f]{64}_[0-9a-f]{8}$/)
  expect(await statusAfter(web.result, 401)).toBe(201)
  expect(keys('list').result).toMatch(/"web" {2}write {2}created .* live/)
  expect(keys('revoke', 'web').status).toBe(0)
  expect(await statusAfter(web.result, 201)).toBe(401)
  expect(keys('list').result).toMatch(/"web" {2}write {2}created .* revoked/)
  const file = readFileSync(join(service().folder, 'data', 'api-keys.json'), 'utf8')
  expect(file).not.toContain(web.result)
  expect(service().lines.join('\n')).not.toContain(web.result)
})

it('the last valid keys stay valid when the file breaks or disappears, until it is restored', async () => {
  const path = join(service().folder, 'data', 'api-keys.json')
  const good = readFileSync(path)
  const complaint = (line: string) => line.includes('keys file is unusable')
  writeFileSync(path, '{')
  await service().line(complaint)
  expect(await statusWith(service().key)).toBe(201)
  rmSync(path)
  await service().line((line) => complaint(line) && line.includes('is missing'))
  expect(await statusWith(service().key)).toBe(201)
  writeFileSync(path, good)
  await service().line((line) => line.includes('was reloaded'))
})

const itOnLinux = existsSync('/proc/self/fd') ? it : it.skip
const maxFiles = 300

/**
 * Resolves when the service has no free file descriptor. Waits because the service accepts connections one after
 * another.
 */
async function hasNoFileLeft(pid: number): Promise<void> {
  while (readdirSync(`/proc/${String(pid)}/fd`).length < maxFiles) await nextLook()
}

thoroughly(itOnLinux)('takes up a revocation that it could not read at first', async () => {
  const few = await StartedService.start(folder(), {}, [
    'sh',
    '-c',
    `ulimit -n ${String(maxFiles)}; exec "$0" "$@"`,
  ])
  const { key } = few
  const path = join(few.folder, 'data', 'api-keys.json')
  expect((await few.createEntity('ada')).status).toBe(201)
  const connections = await Promise.all(
    Array.from({ length: 400 }, () => RawConnection.open(few.port)),
  )
  await hasNoFileLeft(few.pid)
  revokeKey(path, 'first-key')
  await few.line((line) => line.includes('keys file is unusable') && line.includes('EMFILE'))
  for (const connection of connections) connection.cut()
  await few.line((line) => line.includes('was reloaded'))
  const reply = await few.createEntity('ada', { authorization: `Bearer ${key}` })
  expect(reply.status).toBe(401)
  expect(few.lines.filter((line) => line.includes('keys file is unusable'))).toHaveLength(1)
  expect(few.lines.filter((line) => line.includes('was reloaded'))).toHaveLength(1)
  await few.end()
})

it('the command does not claim that a service has seen the revocation', () => {
  const { id } = createKey(join(service().folder, 'data', 'api-keys.json'), 'old', ['write'])
  expect(keys('revoke', 'old').remark).toBe(
    `Key ${id} "old" is revoked in ` +
      `${join(realpathSync(service().folder), 'data', 'api-keys.json')}. A running service that can read ` +
      'this file refuses it within 2 seconds. A service that cannot read it logs an error and keeps ' +
      'the keys that it has read last.',
  )
})

type Refusal = readonly [words: readonly string[], status: number, message: RegExp]

const refusals: readonly Refusal[] = [
  [
    ['craete'],
    2,
    /there is no command keys craete. Did you mean "create"\?\nHelp: dossier keys --help/,
  ],
  [['create', '--name', 'first-key', '--scope', 'read'], 1, /choose another name/],
]
/** More wrong arguments. Some are invalid in general, and some for this keys file. */
const moreRefusals: readonly Refusal[] = [
  [[], 2, /needs one of create, list, revoke/],
  [['create', '--name', 'web'], 2, /needs --name and --scope/],
  [['create', '--name', 'web', '--scope', 'admin'], 2, /takes read, write, segments, track/],
  [['create', '--colour', 'red'], 2, /no option --colour/],
  [['list', 'web'], 2, /list takes no argument/],
  [['revoke', 'web', '--scope', 'read'], 2, /only create takes/],
  [['revoke'], 2, /needs one id or name/],
  [['revoke', 'nobody'], 1, /no live key/],
]

it.each([...refusals, ...quickOrThorough({ quick: [], thorough: moreRefusals })])(
  'refuses the arguments %j and gives the reason',
  (words, wanted, message) => {
    const { status, result, remark } = keys(...words)
    expect({ status, result }).toEqual({ status: wanted, result: '' })
    expect(remark).toMatch(message)
  },
)
