import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { readOptions } from '../../../examples/subscriber/options.js'
import { EventStoreDouble } from '../../support/eventstoredb/event-store-double.js'
import { FactWriter } from '../../support/fact-writer.js'
import { itThoroughly } from '../../support/thoroughness.js'
import { temporaryFolders } from '../../support/temporary-folder.js'
import { root, startProgram, type Program } from '../online-retail/program.js'

const makeFolder = temporaryFolders()
const started: Program[] = []
let double: EventStoreDouble
let writer: FactWriter
let database: string

beforeEach(async () => {
  double = await EventStoreDouble.start()
  writer = new FactWriter(double.connectionString)
  database = join(makeFolder(), 'view.db')
})

afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL')
  await Promise.all(started.splice(0).map(({ ended }) => ended))
  await writer.close()
  await double.close()
})

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const all = ['--database', database, ...args]
  const program = startProgram('.build/examples/subscriber/main.js', all, env)
  started.push(program)
  return program
}

test('follows until SIGTERM, then ends without open handles; the report equals the table', async () => {
  await writer.create('17850')
  await writer.recordSurely('17850', 'purchase', new Date('2026-11-20T10:00:00Z'))
  await writer.appendRaw('entity-17850', { type: 'EntityRenamed', data: '{}', metadata: '{}' })
  const following = start(['--url', double.connectionString, '--every', '1'])
  await following.lineWith('caught up')
  await writer.recordSurely('17850', 'purchase', new Date('2026-11-20T11:00:00Z'))
  await following.lineWith('3 facts in this run, 1 passed over, 0 bytes behind the head')
  following.child.kill('SIGTERM')
  const { code, out, err } = await following.ended
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^begins with the first fact\nEntityRenamed is no type this program knows/)
  const report = await start(['--report']).ended
  expect(report).toMatchObject({
    code: 0,
    out: 'day\tcustomer\tevents\n2026-11-20\t17850\t2\n',
  })
})

itThoroughly(
  'a replaced server: it stops, says what to do and keeps the view as it was',
  async () => {
    await writer.create('a')
    await writer.recordSurely('a', 'login', new Date('2026-11-20T10:00:00Z'))
    const env = { SUBSCRIBER_URL: double.connectionString }
    expect(await start(['--once'], env).ended).toMatchObject({ code: 0 })
    const { port } = double
    await double.close()
    double = await EventStoreDouble.start({ port })
    const refused = await start(['--once'], env).ended
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.err).toMatch(/^the checkpoint \d+ is beyond the head .* rebuild it .*\n$/)
    expect(await start(['--report']).ended).toMatchObject({
      out: 'day\tcustomer\tevents\n2026-11-20\ta\t1\n',
    })
  },
)

test.each([
  [['--url', 'http://127.0.0.1'], '--url must be a connection string'],
  [['--every', '0'], '--every must be a whole number'],
  [['--every', '1.5'], '--every must be a whole number'],
  [['--reprot'], 'see --help'],
])('%j: the options are wrong, and why', (args, text) => {
  expect(() => readOptions(args, {})).toThrow(text)
})

test('every export of the package exists after a build, with its types', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
  const files = Object.values(manifest.exports).flatMap((conditions) => Object.values(conditions))
  expect(files).toHaveLength(4)
  for (const file of files) expect(existsSync(join(root, file))).toBe(true)
})
