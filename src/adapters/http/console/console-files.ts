import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of the console, as it is sent. */
export interface ConsoleFile {
  readonly type: string
  readonly plain: Buffer
  readonly gzipped: Buffer
}

/** The console as it was built: its page, and the files that the page names: script, style sheet, icon. */
export interface ConsoleFiles {
  readonly page: ConsoleFile
  /** The other files, by name. */
  readonly parts: ReadonlyMap<string, ConsoleFile>
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}
/** As the page names them. */
const named = /console\/(console-[0-9a-f]+\.(js|css|svg))/g

/** Reads what `npm run build` made. Throws what reading throws. */
export function readConsole(folder: string): ConsoleFiles {
  const read = (name: string, type: string): ConsoleFile => ({
    type,
    plain: readFileSync(join(folder, name)),
    gzipped: readFileSync(join(folder, `${name}.gz`)),
  })
  const page = read('index.html', 'text/html; charset=utf-8')
  const parts = new Map<string, ConsoleFile>()
  for (const [, name = '', end = ''] of page.plain.toString().matchAll(named)) {
    parts.set(name, read(name, types[end] ?? ''))
  }
  return { page, parts }
}
