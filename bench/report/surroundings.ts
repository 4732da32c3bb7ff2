import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import { z } from 'zod'
import { benchFolder, root } from '../places.js'

/** The machine and the versions of a measurement. */
export interface Surroundings {
  readonly node: string
  readonly system: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  /** The commit of this checkout, with `-dirty` if files were changed. Absent without git. */
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

/**
 * Returns the installed versions. The peers use the product's Fastify and zod, so packages are searched from
 * `bench/` upwards.
 */
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
