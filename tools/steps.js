import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

/**
 * All steps of the build and of the checks, by name. A step is a list of commands. A command is a package with a
 * program to run, or a script of this folder, followed by arguments. Programs are found through their package and
 * not through `node_modules/.bin`, because two packages have a program `tsc` (see CONTRIBUTING.md).
 */
const tsc = ['@typescript/native', 'tsc', '--checkers', '1', '-p']
const client = [[...tsc, 'tsconfig.client.json'], ['tools/build-client.js']]
/** The types of `dossier/subscription`, with the few modules that they import. */
const subscription = [[...tsc, 'tsconfig.subscription.json']]
const steps = {
  // The compiler also writes the client's modules, which the import command uses. The client is bundled after that.
  server: [
    [...tsc, 'tsconfig.build.json'],
    ...client,
    ...subscription,
    ['tools/build-open-api.js'],
  ],
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
 * The environment of the compiler and the linter, which are written in Go and would use all processors. Several of
 * them run at a time, so each gets one processor. Fewer garbage collections save a third of the time.
 */
const oneProcessor = { GOMAXPROCS: '1', GOGC: '1600' }

/** @param {readonly string[]} args */
function commandOf([program = '', name = '', ...args]) {
  if (program.endsWith('.js')) return [program, name, ...args].filter((arg) => arg !== '')
  const folder = join('node_modules', program)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return [join(folder, bin[name]), ...args]
}

/** Prints the output of a command. */
const printNow = (/** @type {string} */ output) => process.stderr.write(output)

/**
 * Runs the commands of a step until one fails.
 * @param {string} name
 * @param {(output: string) => void} print
 */
async function runStep(name, print) {
  for (const command of steps[name]) {
    const child = spawn(process.execPath, commandOf(command), {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...oneProcessor },
    })
    // The output of a command stays together, because several commands run at a time.
    const outputs = Promise.all([text(child.stdout), text(child.stderr)])
    const [code] = await once(child, 'close')
    const output = (await outputs).join('')
    if (output !== '') print(output)
    if (code === 0) continue
    print(`${name}: failed\n`)
    return false
  }
  return true
}

/**
 * Runs the named steps, as many in parallel as there are processors. Waits for all of them, and resolves to whether
 * all succeeded. Passes the output of each command to `print`.
 * @param {readonly string[]} names
 * @param {(output: string) => void} [print]
 */
export async function runSteps(names, print = printNow) {
  const unknown = names.filter((name) => !Object.hasOwn(steps, name))
  if (unknown.length > 0) {
    console.error(`no such step: ${unknown.join(', ')}. Steps: ${Object.keys(steps).join(', ')}`)
    return false
  }
  const waiting = [...names]
  const runNext = async () => {
    let haveSucceeded = true
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      haveSucceeded = (await runStep(name, print)) && haveSucceeded
    return haveSucceeded
  }
  const results = await Promise.all(Array.from({ length: availableParallelism() }, runNext))
  return results.every(Boolean)
}
