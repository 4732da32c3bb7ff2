import { spawnSync } from 'node:child_process'
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

function run(jestArgs, isThorough) {
  const variables = isThorough ? { TESTS: 'thorough' } : { STARTED_PROGRAMS: '.build/program' }
  const env = { ...process.env, ...variables }
  const { status } = spawnSync(process.execPath, [...jest(isThorough), ...jestArgs, ...options], {
    stdio: 'inherit',
    env,
  })
  process.exitCode = status ?? 1
}

const suites = paths.map(compiled)
const isThorough = isGiven('--thorough') || suites.some((path) => path.includes('.thorough.'))
const isWhole = suites.length === 0 && !isThorough
const checks = isWhole && !isGiven('--unchecked') ? ['checks'] : []
if (!(await build([...checks, 'program', 'tests']))) process.exitCode = 1
else if (isWhole) {
  groupSuites()
  run(['--config', 'jest.grouped.config.js'], false)
} else run(suites.length > 0 ? suites : thoroughSuites(), isThorough)
