import { spawn } from 'node:child_process'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { preparePeers } from './install.js'
import { OptionsWrong, readOptions, usage, type Options } from './options.js'
import { benchFolder, givenPath } from './places.js'
import { showProgress } from './report/progress.js'
import type { Report, RowReport } from './report/report.js'
import { surroundings } from './report/surroundings.js'
import { tableOf } from './report/table.js'
import { allRows } from './rows/all-rows.js'
import { RowRun } from './run-rows.js'
import { Scope } from './scope.js'

/** Runs the selected rows, prints the table and writes the file. */
async function main(options: Options, scope: Scope): Promise<boolean> {
  const progress = showProgress(process.stderr)
  await preparePeers(progress.say)
  const date = new Date().toISOString()
  const run = await RowRun.within(scope, options, progress)
  const rows: RowReport[] = []
  for (const row of allRows) {
    const wanted = options.rows?.includes(row.id) ?? (options.smoke || options.long || !row.long)
    if (wanted) rows.push(await run.report(row))
  }
  const report: Report = { date, surroundings: surroundings(), options, rows }
  const out = pathOf(options, date)
  mkdirSync(dirname(out), { recursive: true })
  writeFileSync(out, `${JSON.stringify(report, undefined, 2)}\n`)
  process.stdout.write(`${tableOf(report)}figures: ${out}\n`)
  return rows.every(({ outcome }) => outcome !== 'failed')
}

function pathOf({ out }: Options, date: string): string {
  const usual = `${benchFolder}results/${date.replaceAll(':', '-')}.json`
  return out === undefined ? usual : givenPath(out)
}

/** Runs the bench with another Node executable. Returns its exit code. */
async function runWith(node: string, words: readonly string[], scope: Scope): Promise<number> {
  const child = spawn(node, [process.argv[1] ?? '', ...words], { stdio: 'inherit' })
  await scope.own(() => {
    child.kill()
    return Promise.resolve()
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      resolve(code ?? 1)
    })
  })
}

/** Ends everything that was started, then the bench. */
function endOnSignal(scope: Scope): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      void scope.close().finally(() => process.exit(130))
    })
  }
}

const scope = new Scope()
const words = process.argv.slice(2)
const ids = allRows.map(({ id }) => id)
try {
  if (words.includes('--help')) {
    process.stdout.write(`${usage}\nRows: ${ids.join(', ')}\n`)
  } else {
    const options = readOptions(words, ids)
    endOnSignal(scope)
    const { node } = options
    const isOtherNode = node !== undefined && realpathSync(node) !== realpathSync(process.execPath)
    if (isOtherNode) process.exitCode = await runWith(node, words, scope)
    else process.exitCode = (await main(options, scope)) ? 0 : 1
  }
} catch (error) {
  // Reports no error after an interruption, because the interruption caused it.
  if (!scope.isClosing) {
    if (!(error instanceof OptionsWrong)) throw error
    process.stderr.write(`${error.message}\n${usage}\n`)
    process.exitCode = 2
  }
} finally {
  await scope.close()
}
