import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from '@jest/globals'
import { StartedService } from './service-process.js'

/**
 * Starts one service for all tests of a suite or a `describe`. The tests must not leave changes that affect each
 * other.
 */
export function sharedService(env: Readonly<Record<string, string>> = {}): () => StartedService {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-'))
  let service: StartedService | undefined
  beforeAll(async () => {
    service = (await StartedService.start(folder, env)).share()
  })
  afterAll(async () => {
    await service?.end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  return () => {
    if (service === undefined) throw new Error('the shared service is used by tests alone')
    return service
  }
}
