import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of the console, as it is sent. */
export interface ConsoleFile {
  readonly type: string
  readonly plain: Buffer
  readonly gzipped: Buffer
}

/** The console as it was built: its page, and the script and the style sheet that the page names. */
export interface ConsoleFiles {
  readonly page: ConsoleFile
  /** By name. */
  readonly parts: ReadonlyMap<string, ConsoleFile>
}

const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const
/** As the page names them. */
const named = /console\/(console-[0-9a-f]+\.(js|css))/g

/** Reads what `npm run build` made. Throws what reading throws. */
export function readConsole(folder: string): ConsoleFiles {
  const read = (name: string, type: string): ConsoleFile => ({
    type,
    plain: readFileSync(join(folder, name)),
    gzipped: readFileSync(join(folder, `${name}.gz`)),
  })
  const page = read('index.html', 'text/html; charset=utf-8')
  const parts = new Map<string, ConsoleFile>()
  for (const [, name = '', end] of page.plain.toString().matchAll(named)) {
    parts.set(name, read(name, types[end === 'css' ? 'css' : 'js']))
  }
  return { page, parts }
}
