import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { killServices } from '../test/support/service-process.js'
import { OptionsWrong, readOptions, usageOf, type Options } from './options.js'
import { Random, seedFor } from './random.js'
import { isGood, maxMsOf, type Row, type Scenario } from './scenario.js'
import { scenarios } from './scenarios.js'
import { storesFor } from './stores.js'
import { tableOf } from './table.js'

/** Runs the scenarios, prints the results, and returns the exit code: 0 when nothing was lost or wrong. */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), scenarios)
  if (options === undefined) {
    process.stdout.write(usageOf(scenarios))
    return 0
  }
  process.stderr.write(`fault-injection: the ${options.form} form, seed ${String(options.seed)}\n`)
  const begun = new Date()
  const rows: Row[] = []
  for (const scenario of scenarios) {
    if (!options.only.includes(scenario.name)) continue
    const found = await tried(scenario, options, begun)
    // A single scenario needs only the final table.
    if (options.only.length > 1) process.stderr.write(`\n${tableOf(found)}\n`)
    rows.push(...found)
  }
  process.stdout.write(`${tableOf(rows)}\n`)
  process.stderr.write(`fault-injection: ${write(rows, options, begun)}\n`)
  return rows.every(isGood) ? 0 : 1
}

async function tried(
  scenario: Scenario,
  { form, seed }: Options,
  begun: Date,
): Promise<readonly Row[]> {
  const { name, run } = scenario
  const say = (text: string): void => {
    const seconds = ((Date.now() - begun.getTime()) / 1_000).toFixed(0)
    process.stderr.write(`${seconds.padStart(5)} s  ${name}  ${text}\n`)
  }
  // A run that hangs is a finding, too. The watchdog ends it and reports the current scenario.
  const watchdog = setTimeout(
    () => {
      process.stderr.write(
        `fault-injection: ${name} did not end in time: no account, and that is a fault\n`,
      )
      process.exit(1)
    },
    maxMsOf(scenario, form),
  )
  const rows = await run({
    form,
    random: new Random(seedFor(seed, name)),
    runId: `run-${String(begun.getTime())}-${String(process.pid)}`,
    say,
    stores: storesFor(process.env['ESDB_TEST_URL']),
  })
  clearTimeout(watchdog)
  return rows
}

/** Writes the rows as JSON and returns the path. */
function write(rows: readonly Row[], { form, seed }: Options, begun: Date): string {
  const folder = resolve('fault-injection/results')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${begun.toISOString().replaceAll(':', '-')}.json`)
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version }
  const seconds = (Date.now() - begun.getTime()) / 1_000
  const result = { begun: begun.toISOString(), seconds, form, seed, machine, rows }
  writeFileSync(path, `${JSON.stringify(result, undefined, 2)}\n`)
  return path
}

process.on('exit', killServices)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    process.exit(1)
  })
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof OptionsWrong)) throw error
  process.stderr.write(`fault-injection: ${error.message}\n`)
  process.exitCode = 2
}
