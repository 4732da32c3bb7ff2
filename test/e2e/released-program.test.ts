import { expect, it } from '@jest/globals'
import { startReleasedProgram, StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

startReleasedProgram()

const folder = temporaryFolders()

it('the released program prints only its log, with one line about an old Node, also from threads, without warnings of Node', async () => {
  const env = { API_KEY: 'a-key-of-our-own-choosing', READ_MODEL: 'read-model.db' }
  const service = await StartedService.start(folder(), env)
  await service.createEntity('ada')
  await service.end()
  const others = service.lines.filter((line) => !line.startsWith('{"level":30,'))
  const oldNode = [expect.stringMatching(/^\{"level":40,.*"Node v\S+ is past its end of life: /)]
  expect(others).toEqual(Number.parseInt(process.versions.node, 10) < 22 ? oldNode : [])
})
