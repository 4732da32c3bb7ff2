import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import { z } from 'zod'
import { benchFolder, root } from '../places.js'

/** Where, and of what, the figures were taken. */
export interface Surroundings {
  readonly node: string
  readonly system: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  /** Of this checkout, `-dirty` when files were changed; absent without git. */
  readonly commit?: string
  readonly packages: Readonly<Record<string, string>>
}

const ours = ['fastify', 'zod', '@photostructure/sqlite', 'pino', '@eventstore/db-client']
const theirs = ['pg']

export function surroundings(): Surroundings {
  const commit = commitOf()
  return {
    node: process.version,
    system: `${type()} ${release()}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    ...(commit === undefined ? {} : { commit }),
    packages: { ...versionsIn(root, ours), ...versionsIn(benchFolder, theirs) },
  }
}

/** The peers' Fastify and zod are the product's own: they are looked up from `bench/` upwards. */
function versionsIn(folder: string, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of names) {
    const path = `${folder}node_modules/${name}/package.json`
    if (!existsSync(path)) continue
    found[name] = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(path, 'utf8'))).version
  }
  return found
}

function commitOf(): string | undefined {
  const args = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*']
  try {
    const said = execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
    return said.toString().trim()
  } catch {
    return undefined
  }
}
