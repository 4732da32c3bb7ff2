import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from '@jest/globals'

/** Makes folders that are gone after each test; with `afterAll`, after all of them. */
export function temporaryFolders(after = afterEach): () => string {
  const made: string[] = []
  after(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
  })
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'dossier-'))
    made.push(folder)
    return folder
  }
}
