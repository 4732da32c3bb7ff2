import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'

const folder = 'test/golden/facts'

/** Returns the names of the golden files: `<type>.v<version>.<what>`. */
export function goldenNames(): readonly string[] {
  return readdirSync(folder).map((file) => file.replace(/\.json$/, ''))
}

/**
 * Returns the text of a golden file. Empty when the file is missing: the failing test then prints the expected
 * text.
 */
export function goldenText(name: string): string {
  const file = join(folder, `${name}.json`)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Formats a fact as a golden file: JSON, with the stored texts of data and metadata. */
export function asGolden(stream: string, { id, type, data, metadata }: StoredFact): string {
  const [head, tail] = [JSON.stringify({ stream, id, type }, null, 2).slice(0, -2), '\n}\n']
  return `${head},\n  "data": ${data},\n  "metadata": ${metadata}${tail}`
}

/** Matches a golden file. A line may contain U+2028, where `.` would stop, so `[^\n]` matches its characters. */
const form =
  /^\{\n {2}"stream": [^\n]+,\n {2}"id": "([^\n]+)",\n {2}"type": "([^\n]+)",\n {2}"data": ([^\n]+),\n {2}"metadata": ([^\n]+)\n\}\n$/

/** Parses the fact of a golden file, byte for byte. */
export function fromGolden(text: string): StoredFact {
  const [, id, type, data, metadata] = form.exec(text) ?? []
  if (id === undefined || type === undefined || data === undefined || metadata === undefined) {
    throw new Error('not a golden file')
  }
  return { id, type, data, metadata }
}
