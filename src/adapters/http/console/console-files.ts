import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFile, type BuiltFile } from '../built-file.js'

/** The built web console: its HTML page, and the script, style sheet and icon that the page loads. */
export interface ConsoleFiles {
  readonly page: BuiltFile
  /** The script, style sheet and icon, by file name. */
  readonly parts: ReadonlyMap<string, BuiltFile>
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}
/** Matches the file names in the HTML page. */
const named = /console\/(console-[0-9a-f]+\.(js|css|svg))/g

/**
 * Reads the files that `npm run build` wrote to `folder`. Throws the error of the file system when a file is
 * missing.
 */
export function readConsole(folder: string): ConsoleFiles {
  const read = (name: string, type: string) =>
    builtFile(type, readFileSync(join(folder, name)), readFileSync(join(folder, `${name}.gz`)))
  const page = read('index.html', 'text/html; charset=utf-8')
  const parts = new Map<string, BuiltFile>()
  for (const [, name = '', end = ''] of page.plain.toString().matchAll(named)) {
    parts.set(name, read(name, types[end] ?? ''))
  }
  return { page, parts }
}
