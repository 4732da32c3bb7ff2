import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.js'
import { groupSuites } from './group-suites.js'

// `npm test` checks, builds and runs every quick test. `npm test -- PATH …` builds, and runs the suites in these
// files or folders. The `.ts` of a file name is optional. `--thorough` runs the thorough tests. `--unchecked` runs
// the quick tests without the checks. Other arguments go to Jest (such as `-t NAME`).
const flags = ['--thorough', '--unchecked']
const isGiven = (flag) => process.argv.includes(flag)
const args = process.argv.slice(2).filter((arg) => !flags.includes(arg))
const first = args.findIndex((arg) => arg.startsWith('-'))
const paths = first === -1 ? args : args.slice(0, first)
const options = args.slice(paths.length)

/** Returns the compiled suite or folder of a path below `test`. Ends the program when the path does not exist. */
function compiled(path) {
  const found = ['', '.ts', '.test.ts', '.thorough.test.ts']
    .map((end) => `${path}${end}`)
    .find((file) => existsSync(file))
  if (found === undefined) {
    console.error(`npm test: there is no file or folder ${path}`)
    process.exit(2)
  }
  return join('.build', found).replace(/\.ts$/, '.js')
}

function thoroughSuites() {
  const suites = readdirSync('.build/test', { recursive: true, encoding: 'utf8' })
  return [
    '--findRelatedTests',
    '.build/test/support/thoroughness.js',
    ...suites
      .filter((name) => name.endsWith('.thorough.test.js'))
      .map((name) => join('.build/test', name)),
  ]
}

/** The arguments of Node: options for many short-lived suites, then Jest. */
const jest = (isThorough) => [
  // Most functions of a quick run are called too seldom to repay the compiler that optimises functions.
  ...(isThorough ? [] : ['--no-opt']),
  '--max-semi-space-size=64',
  '--single-threaded-gc',
  '--always-sparkplug',
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
]

async function run(jestArgs, isThorough) {
  const variables = isThorough ? { TESTS: 'thorough' } : { STARTED_PROGRAMS: '.build/program' }
  const env = { ...process.env, ...variables }
  const child = spawn(process.execPath, [...jest(isThorough), ...jestArgs, ...options], {
    stdio: 'inherit',
    env,
  })
  const [status] = await once(child, 'exit')
  if (status !== 0) process.exitCode = status ?? 1
}

/**
 * Checks the sources while the tests run, because the tests leave processors idle at times. Returns a function that
 * waits for the checks and prints their output after the results of the tests.
 */
function beginChecks() {
  /** @type {string[]} */
  const outputs = []
  const checks = build(['checks'], (output) => outputs.push(output))
  return async () => {
    const haveSucceeded = await checks
    process.stderr.write(outputs.join(''))
    if (!haveSucceeded) process.exitCode = 1
  }
}

const suites = paths.map(compiled)
const isThorough = isGiven('--thorough') || suites.some((path) => path.includes('.thorough.'))
const isWhole = suites.length === 0 && !isThorough
const endChecks = isWhole && !isGiven('--unchecked') ? beginChecks() : undefined
if (!(await build(['program', 'tests']))) process.exitCode = 1
else if (isWhole) {
  groupSuites()
  await run(['--config', 'jest.grouped.config.js'], false)
} else await run(suites.length > 0 ? suites : thoroughSuites(), isThorough)
await endChecks?.()
