import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { StartedService } from '../support/started-service.js'
import { sqliteFacts } from '../support/sqlite-facts.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()

test('the death of the writer thread ends the process, so that it is restarted', async () => {
  const place = folder()
  const signal = join(place, 'end-writer')
  const preload = new URL('../support/end-writer-thread.js', import.meta.url).href
  const service = await StartedService.start(place, {
    END_WRITER_WHEN: signal,
    NODE_OPTIONS: `--import ${preload}`,
  })
  expect((await service.createEntity('ada')).status).toBe(201)
  writeFileSync(signal, 'now')
  const { code } = await service.ended
  expect(code).toBe(1)
  expect(service.lines.join('\n')).toMatch(/the store is gone/)
  expect(sqliteFacts(service.database, 'entity-ada')).toHaveLength(1)
})
