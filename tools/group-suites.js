import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const target = join('.build', 'grouped')
/** Their suites start programs and wait for them: each is run by itself, beside others. */
const startPrograms = /^e2e\b/

/**
 * Each group loads Fastify, zod and the sources anew, about a second of work, so small folders share one.
 * The largest folders are groups of their own: the processors share them, and none ends long after the others.
 */
const groups = [
  ['http', /^adapters\Whttp\b/],
  ['eventstoredb', /^adapters\Weventstoredb\b/],
  ['read-model', /^adapters\Wsqlite\Wread-model\b/],
  ['sqlite', /^adapters\Wsqlite\b/],
  ['inner', /^(application|domain|house|fault-injection)\b/],
  ['outer', /./],
]

/** Writes one suite for each group, which imports the suites of that group: see `jest.grouped.config.js`. */
export function groupSuites() {
  /** @type {Map<string, string[]>} */
  const suitesByGroup = new Map()
  for (const path of readdirSync('test', { recursive: true, encoding: 'utf8' }).sort()) {
    if (!path.endsWith('.test.ts') || path.endsWith('.thorough.test.ts')) continue
    if (startPrograms.test(path)) continue
    const [group] = groups.find(([, paths]) => paths.test(path))
    suitesByGroup.set(group, [...(suitesByGroup.get(group) ?? []), path])
  }

  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  for (const [group, suites] of suitesByGroup) {
    const imports = suites.map((path) => `import '../test/${path.replace(/ts$/, 'js')}'\n`)
    writeFileSync(join(target, `${group}.test.js`), imports.join(''))
  }
}
