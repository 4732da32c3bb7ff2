import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const target = join('.build', 'grouped')
/**
 * The groups of suites. Each group loads Fastify, zod and the sources again, which takes about a second, so small
 * folders share a group. The largest folders are groups of their own, so that all processors finish at about the
 * same time. Suites that start programs mostly wait for them. They are in groups that take about as long as each
 * other, and that import the same double of EventStoreDB or other support.
 */
const groups = [
  [
    'started-eventstoredb',
    /^e2e\W(clock|copy|erasing-eventstoredb|eventstoredb|io-errors|logs|metrics|voids)\b/,
  ],
  ['started-documents', /^e2e\W(pasted-documents|released-program|stop-at-start)\b/],
  ['started-clients', /^e2e\W(client|fuzz|import|reading)\b/],
  ['started-read-models', /^e2e\W(audit|erasing|webhooks)\b/],
  ['started-processes', /^e2e\b/],
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
