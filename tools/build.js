import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runSteps } from './steps.js'

const notSources = ['.git', '.build', 'dist', 'node_modules']
/**
 * The products of the build, each with its output folder, its steps and its sources. The checks only write a stamp, so
 * that they run again only after a change.
 */
const settings = ['package-lock.json', 'tsconfig.json', 'tools']
const products = {
  program: {
    folder: 'dist',
    steps: ['server', 'console', 'demo'],
    sources: [
      ...['src', 'examples/online-retail', ...settings],
      ...['tsconfig.build.json', 'tsconfig.client.json', 'tsconfig.subscription.json'],
    ],
  },
  tests: {
    folder: '.build',
    steps: ['tests'],
    sources: ['src', 'test', 'examples', 'bench', 'fault-injection', ...settings],
  },
  checks: {
    folder: '.build/checks',
    steps: ['lint', 'format', 'boundaries'],
    sources: readdirSync('.').filter((name) => !notSources.includes(name)),
  },
}

/**
 * Returns the path, modification time and size of every file under a path.
 * @param {string} path
 * @returns {string[]}
 */
function filesBelow(path) {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  if (!stats.isDirectory()) return [`${path} ${String(stats.mtimeMs)} ${String(stats.size)}`]
  return readdirSync(path)
    .filter((name) => name !== 'node_modules' && !name.startsWith('.'))
    .flatMap((name) => filesBelow(join(path, name)))
}

/** @param {string} stamp */
function stampedFiles(stamp) {
  try {
    return readFileSync(stamp, 'utf8').split('\n')
  } catch {
    // There is no stamp before the first build.
    return []
  }
}

/** @param {readonly string[]} files */
const pathsOf = (files) => new Set(files.map((file) => file.split(' ', 1)[0]))

/** @param {readonly string[]} files */
const settingsIn = (files) =>
  files.filter((file) => /^(tools|tsconfig|package-lock)/.test(file)).join('\n')

/**
 * Returns the products whose sources changed since their build. Deletes the output of a product that lost a source
 * file, or whose settings changed, because the compiler does not remove the output of deleted files.
 * @param {readonly ('program' | 'tests' | 'checks')[]} names
 */
function outdated(names) {
  return names
    .map((name) => ({ name, ...products[name], stamp: join(products[name].folder, '.built') }))
    .map((product) => ({ ...product, files: product.sources.flatMap(filesBelow) }))
    .filter(({ stamp, files, folder }) => {
      const before = stampedFiles(stamp)
      const paths = pathsOf(files)
      const isLost = [...pathsOf(before)].some((path) => !paths.has(path))
      const isSetOtherwise = before.length > 0 && settingsIn(before) !== settingsIn(files)
      if (isLost || isSetOtherwise) rmSync(folder, { recursive: true, force: true })
      return before.join('\n') !== files.join('\n')
    })
}

/**
 * Builds the outdated products at the same time. Resolves to whether everything succeeded. Passes the output of the
 * steps to `print`, which prints it immediately by default.
 * @param {readonly ('program' | 'tests' | 'checks')[]} names
 * @param {(output: string) => void} [print]
 */
export async function build(names, print) {
  const changed = outdated(names)
  const steps = changed.flatMap(({ steps }) => steps)
  for (const { name, folder, stamp } of changed) {
    const why = existsSync(folder)
      ? 'because sources changed'
      : 'from scratch: this takes up to a minute'
    console.error(name === 'checks' ? 'Checking the sources.' : `Building the ${name}, ${why}.`)
    rmSync(stamp, { force: true })
  }
  const hasSucceeded = await runSteps(steps, print)
  if (hasSucceeded) {
    for (const { folder, stamp, files } of changed) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(stamp, files.join('\n'))
    }
  }
  return hasSucceeded
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const names = process.argv.slice(2)
  const given = names.length > 0 ? names : ['program']
  const made = given.filter((name) => Object.hasOwn(products, name))
  const single = given.filter((name) => !made.includes(name))
  const isMade = (await build(made)) && (await runSteps(single))
  if (!isMade) process.exitCode = 1
}
