import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'

const folder = 'test/golden/facts'

/** Names of the golden files: `<type>.v<version>.<what>`. */
export function goldenNames(): readonly string[] {
  return readdirSync(folder).map((file) => file.replace(/\.json$/, ''))
}

/** Empty when there is no such file yet: the test that misses it then shows what belongs in it. */
export function goldenText(name: string): string {
  const file = join(folder, `${name}.json`)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** A fact as a golden file has it: JSON, with the texts of data and metadata as they are stored. */
export function asGolden(stream: string, { id, type, data, metadata }: StoredFact): string {
  const [head, tail] = [JSON.stringify({ stream, id, type }, null, 2).slice(0, -2), '\n}\n']
  return `${head},\n  "data": ${data},\n  "metadata": ${metadata}${tail}`
}

/** A line's text is `[^\n]`: `.` would stop at U+2028, which JSON may hold as it is. */
const form =
  /^\{\n {2}"stream": [^\n]+,\n {2}"id": "([^\n]+)",\n {2}"type": "([^\n]+)",\n {2}"data": ([^\n]+),\n {2}"metadata": ([^\n]+)\n\}\n$/

/** The fact of a golden file, to the byte. */
export function fromGolden(text: string): StoredFact {
  const [, id, type, data, metadata] = form.exec(text) ?? []
  if (id === undefined || type === undefined || data === undefined || metadata === undefined) {
    throw new Error('not a golden file')
  }
  return { id, type, data, metadata }
}
