import { execFileSync, spawn } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Skipped } from '../skipped.js'
import type { Scope } from '../scope.js'
import { endProcess } from './end-process.js'
import { cpuOfFamily } from './process-figures.js'

/** A PostgreSQL cluster of the bench, with default settings, on a Unix socket in a temporary folder. */
export interface Postgres {
  readonly url: string
  readonly version: string
  /** Returns the CPU time of all its processes so far, in µs. */
  readonly cpu: () => number | undefined
}

/** The user who runs the cluster, because PostgreSQL refuses to run as root. */
interface User {
  readonly uid: number
  readonly gid: number
}

const debian = '/usr/lib/postgresql'
const maxStartMs = 30_000

/** Starts a cluster. Throws `Skipped` when PostgreSQL is not installed. */
export async function startPostgres(scope: Scope): Promise<Postgres> {
  const initdb = programOf('initdb')
  const postgres = programOf('postgres')
  const folder = mkdtempSync(`${tmpdir()}/dossier-bench-pg-`)
  await scope.own(() => {
    rmSync(folder, { recursive: true, force: true })
    return Promise.resolve()
  })
  const user = userFor(folder)
  const data = `${folder}/data`
  execFileSync(initdb, ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const settings = ['-c', 'listen_addresses=', '-c', 'log_min_messages=fatal', '-k', folder]
  const log = `${folder}/log`
  const child = spawn(postgres, ['-D', data, ...settings], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', openSync(log, 'w')],
  })
  // SIGINT is a fast shutdown, which disconnects clients.
  await scope.own(async () => {
    await endProcess(child, 'SIGINT')
  })
  await accepting(`${folder}/.s.PGSQL.5432`, log)
  const pid = child.pid ?? 0
  return {
    url: `postgresql://postgres@localhost/postgres?host=${folder}`,
    version: execFileSync(postgres, ['--version'], { encoding: 'utf8' }).trim(),
    cpu: () => cpuOfFamily(pid),
  }
}

export function programOf(name: string): string {
  const versions = existsSync(debian) ? readdirSync(debian).map(Number) : []
  versions.sort((left, right) => right - left)
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions.map((version) => `${debian}/${String(version)}/bin`),
  ]
  const found = folders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path))
  if (found === undefined) throw new Skipped(`no ${name} of PostgreSQL on this machine`)
  return found
}

function userFor(folder: string): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  const user = namedUser('postgres') ?? namedUser('nobody')
  if (user === undefined)
    throw new Skipped('PostgreSQL does not run as root, and nobody else is here')
  chownSync(folder, user.uid, user.gid)
  return user
}

function namedUser(name: string): User | undefined {
  const id = (which: '-u' | '-g') =>
    Number(
      execFileSync('id', [which, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )
  try {
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    return undefined
  }
}

/** Waits until the socket exists. PostgreSQL may still refuse connections, and the pool retries these. */
async function accepting(socket: string, log: string): Promise<void> {
  const until = performance.now() + maxStartMs
  while (!(await connects(socket))) {
    if (performance.now() > until) {
      throw new Error(`PostgreSQL did not start: ${readFileSync(log, 'utf8')}`)
    }
    await pause(20)
  }
}

function connects(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => {
      resolve(false)
    })
  })
}
