import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

/**
 * Every step of the build and of the checks, by name: its commands in their order. A command is a package
 * whose program runs, or a script of this folder, with its arguments. Two packages bring a program `tsc`
 * (see CONTRIBUTING.md), so a program is found through its package, never through `node_modules/.bin`.
 */
const tsc = ['@typescript/native', 'tsc', '--checkers', '1', '-p']
const client = [[...tsc, 'tsconfig.client.json'], ['tools/build-client.js']]
/** The types of `dossier/subscription`, with the few modules that they import. */
const subscription = [[...tsc, 'tsconfig.subscription.json']]
const steps = {
  // The compiler writes the modules of the client too: the import command uses them. The bundle comes after.
  server: [[...tsc, 'tsconfig.build.json'], ...client, ...subscription],
  client,
  demo: [['tools/build-demo.js']],
  console: [[...tsc, 'src/console'], ['tools/build-console.js']],
  tests: [[...tsc, 'tsconfig.json'], ['tools/bundle-program.js']],
  lint: [
    [
      'oxlint',
      'oxlint',
      ...['--ignore-pattern', 'bench/peers', '--ignore-pattern', 'examples/postgres-mirror'],
    ],
  ],
  format: [['oxfmt', 'oxfmt', '--check']],
  boundaries: [['dependency-cruiser', 'depcruise', '--config', '.dependency-cruiser.cjs', 'src']],
}

/**
 * The compiler and the linter are written in Go and divide their work among all processors. Several run at
 * once here, so each gets one processor, and collects garbage less often, which takes a third less time.
 */
const oneProcessor = { GOMAXPROCS: '1', GOGC: '1600' }

/** @param {readonly string[]} args */
function commandOf([program = '', name = '', ...args]) {
  if (program.endsWith('.js')) return [program, name, ...args].filter((arg) => arg !== '')
  const folder = join('node_modules', program)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return [join(folder, bin[name]), ...args]
}

/** Runs the commands of a step until one fails. @param {string} name */
async function runStep(name) {
  for (const command of steps[name]) {
    const child = spawn(process.execPath, commandOf(command), {
      stdio: 'inherit',
      env: { ...process.env, ...oneProcessor },
    })
    const [code] = await once(child, 'close')
    if (code === 0) continue
    console.error(`${name}: failed`)
    return false
  }
  return true
}

/**
 * Runs the named steps, as many at once as there are processors. Resolves to whether all of them succeeded,
 * after all have ended.
 * @param {readonly string[]} names
 */
export async function runSteps(names) {
  const waiting = [...names]
  const runNext = async () => {
    let haveSucceeded = true
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      haveSucceeded = (await runStep(name)) && haveSucceeded
    return haveSucceeded
  }
  const results = await Promise.all(Array.from({ length: availableParallelism() }, runNext))
  return results.every(Boolean)
}
