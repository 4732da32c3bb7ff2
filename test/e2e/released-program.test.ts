import { readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import { startReleasedProgram, StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

startReleasedProgram()

const folder = temporaryFolders()

it('the released program serves the OpenAPI document of the build, and prints only its log, with one line about an old Node, also from threads, without warnings of Node', async () => {
  const env = { API_KEY: 'a-key-of-our-own-choosing', READ_MODEL: 'read-model.db' }
  const service = await StartedService.start(folder(), env)
  await service.createEntity('ada')
  const document = await (await fetch(`${service.origin}/openapi.json`)).text()
  await service.end()
  expect(document).toBe(readFileSync('dist/open-api/with-reads.json', 'utf8'))
  const others = service.lines.filter((line) => !line.startsWith('{"level":30,'))
  const oldNode = [expect.stringMatching(/^\{"level":40,.*"Node v\S+ is past its end of life: /)]
  expect(others).toEqual(Number.parseInt(process.versions.node, 10) < 22 ? oldNode : [])
})
