import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

const target = join('.build', 'grouped')
/** Their suites start programs and wait for them: each is run by itself, beside others. */
const startPrograms = /^e2e\b/

/** The largest part would be the last to end: its parts are suites. */
const largest = /^adapters\Wsqlite\b/

/** Writes one suite for each part of the sources, which imports the suites of that part: see `jest.grouped.config.js`. */
export function groupSuites() {
  /** @type {Map<string, string[]>} */
  const suitesByPart = new Map()
  for (const path of readdirSync('test', { recursive: true, encoding: 'utf8' }).sort()) {
    if (!path.endsWith('.test.ts') || path.endsWith('.thorough.test.ts')) continue
    if (startPrograms.test(path)) continue
    const folders = dirname(path).split(sep)
    const part = folders.slice(0, largest.test(path) ? 3 : 2).join('-')
    suitesByPart.set(part, [...(suitesByPart.get(part) ?? []), path])
  }

  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  for (const [part, suites] of suitesByPart) {
    const imports = suites.map((path) => `import '../test/${path.replace(/ts$/, 'js')}'\n`)
    writeFileSync(join(target, `${part}.test.js`), imports.join(''))
  }
}
