import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { EventStoreDouble } from '../../support/eventstoredb/event-store-double.js'
import { FactWriter } from '../../support/fact-writer.js'
import { temporaryFolders } from '../../support/temporary-folder.js'
import { root, startProgram, type Program } from '../online-retail/program.js'

const makeFolder = temporaryFolders()
const started: Program[] = []
let double: EventStoreDouble
let writer: FactWriter

beforeEach(async () => {
  double = await EventStoreDouble.start()
  writer = new FactWriter(double.connectionString)
})

afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL')
  await Promise.all(started.splice(0).map(({ ended }) => ended))
  await writer.close()
  await double.close()
})

/** `node:sqlite`, which the program uses, is missing in Node 20. */
const itWithSqlite = Number.parseInt(process.versions.node, 10) >= 22 ? it : it.skip

itWithSqlite(
  'the program of docs/facts.md counts each purchase once, also after a kill',
  async () => {
    const folder = makeFolder()
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules', 'dossier'))
    const [, program = ''] =
      /^```js\n(.*?)^```$/ms.exec(readFileSync('docs/facts.md', 'utf8')) ?? []
    writeFileSync(join(folder, 'follow.mjs'), program)
    const start = () => {
      const env = { STORE_URL: double.connectionString }
      const following = startProgram(join(folder, 'follow.mjs'), [], env, folder)
      started.push(following)
      return following
    }
    const at = new Date('2026-11-20T10:00:00Z')
    await writer.create('ada')
    await writer.recordSurely('ada', 'purchase', at)
    await writer.recordSurely('ada', 'login', at)
    const first = start()
    await first.lineWith("customer: 'ada', times: 1")
    await writer.recordSurely('ada', 'purchase', at)
    first.child.kill('SIGKILL')
    await first.ended
    const second = start()
    await second.lineWith("customer: 'ada', times: 2")
    second.child.kill('SIGTERM')
    expect(await second.ended).toMatchObject({ code: 0, signal: null })
  },
)
