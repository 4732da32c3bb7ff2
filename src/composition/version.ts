import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** Reads the version in the `package.json` of Dossier. */
export function versionOfPackage(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}
