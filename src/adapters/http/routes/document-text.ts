import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from './open-api.js'
import { readRoutes, routes } from './routes.js'

/** The file of a document. A process without a read model serves fewer routes. */
const fileOf = (hasReads: boolean) => (hasReads ? 'with-reads.json' : 'without-reads.json')

/** The documents that `npm run build` writes, by file name. */
export function documentsToBuild(version: string): ReadonlyMap<string, string> {
  return new Map([true, false].map((hasReads) => [fileOf(hasReads), textOf(version, hasReads)]))
}

/** Reads the document that `npm run build` wrote to `folder`. Returns undefined when the file does not exist. */
export function builtDocument(folder: string, hasReads: boolean): string | undefined {
  const path = join(folder, fileOf(hasReads))
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** The generated documents. Generating one takes about 60 ms, so the servers of a process share them. */
const generated = new Map<string, string>()

/** Returns the document of a server that was given no built document, such as the server of a test. */
export function documentTextOf(version: string, hasReads: boolean): string {
  const name = `${version} ${String(hasReads)}`
  const text = generated.get(name) ?? textOf(version, hasReads)
  generated.set(name, text)
  return text
}

function textOf(version: string, hasReads: boolean): string {
  return JSON.stringify(openApiDocument(hasReads ? [...routes, ...readRoutes] : routes, version))
}
