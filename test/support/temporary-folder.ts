import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from '@jest/globals'

/**
 * Returns a function that creates folders. They are removed after each test, or with `afterAll` after all tests.
 */
export function temporaryFolders(after = afterEach): () => string {
  const made: string[] = []
  after(() => {
    // A killed process can create a last file during the removal, so Node tries again.
    const options = { recursive: true, force: true, maxRetries: 5 }
    for (const folder of made.splice(0)) rmSync(folder, options)
  })
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'dossier-'))
    made.push(folder)
    return folder
  }
}
