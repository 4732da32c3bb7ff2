import { parseArgs } from 'node:util'
import { fuzz, type FuzzOptions } from '../fuzz.js'
import { table } from './report.js'

const usage = `Usage: node tools/run.js .build/fault-injection/fuzz/command.js [--seconds N | --requests N] [--seed N] [--connections N]
                    [--store sqlite|memory] [--scenario N]

Sends generated requests to a service of its own and judges the answers. 60 seconds and a seed of the
clock, unless told otherwise. --scenario plays one scenario of a seed alone.
`

const numbers = ['seconds', 'requests', 'seed', 'connections', 'scenario'] as const

type Numbers = Partial<Record<(typeof numbers)[number], number>>

class Misunderstood extends Error {}

/** Parses the command line. Throws an error that names the invalid option. */
function optionsIn(words: readonly string[]): FuzzOptions {
  const form = { type: 'string' } as const
  const named = { seconds: form, requests: form, seed: form, connections: form, scenario: form }
  const { values } = parseArgs({
    args: [...words],
    options: { ...named, store: form },
    strict: true,
  })
  const read = numbersIn(values)
  const { store = 'sqlite' } = values
  if (store !== 'sqlite' && store !== 'memory') {
    throw new Misunderstood('--store must be sqlite or memory')
  }
  const bounded = read.seconds !== undefined || read.requests !== undefined
  return { seed: Date.now() % 1_000_000, ...(bounded ? {} : { seconds: 60 }), ...read, store }
}

function numbersIn(values: Partial<Record<(typeof numbers)[number], string>>): Numbers {
  const read: Numbers = {}
  for (const name of numbers) {
    const given = values[name]
    if (given === undefined) continue
    if (!/^\d{1,9}$/.test(given)) throw new Misunderstood(`--${name} must be a whole number`)
    read[name] = Number(given)
  }
  return read
}

/** Parses the command line. When that fails, prints the reason and returns undefined. */
function understood(words: readonly string[]): FuzzOptions | undefined {
  try {
    return optionsIn(words)
  } catch (error) {
    process.stderr.write(
      `fuzz: ${error instanceof Error ? error.message : String(error)}\n${usage}`,
    )
    return undefined
  }
}

const words = process.argv.slice(2)
const options = words.includes('--help') ? 'help' : understood(words)
if (options === 'help') {
  process.stdout.write(usage)
} else if (options === undefined) {
  process.exitCode = 2
} else {
  process.stderr.write(`fuzz: seed ${String(options.seed)}\n`)
  const progress = (requests: number, seconds: number) => {
    process.stderr.write(`fuzz: ${String(requests)} requests in ${seconds.toFixed(0)} s\n`)
  }
  const report = await fuzz({ ...options, progress })
  process.stdout.write(table(report))
  if (report.problems.length > 0) process.exitCode = 1
}
