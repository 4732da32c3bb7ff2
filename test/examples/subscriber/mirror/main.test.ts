import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { readOptions } from '../../../../examples/subscriber/mirror/options.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'
import { startProgram, type Program } from '../../online-retail/program.js'
import { apiKey, ServiceDouble } from './service-double.js'
import { MemoryFacts } from './memory-facts.js'
import { PublishedSegment } from './published-segment.js'

const makeFolder = temporaryFolders()
const started: Program[] = []
let database: string
let segment: PublishedSegment
let service: ServiceDouble

beforeEach(async () => {
  database = join(makeFolder(), 'mirror.db')
  const facts = new MemoryFacts()
  segment = new PublishedSegment(facts, 4)
  service = await ServiceDouble.start(segment, facts)
})

afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL')
  await Promise.all(started.splice(0).map(({ ended }) => ended))
  await service.close()
})

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const all = ['--service', service.url.href, '--database', database, ...args]
  const program = startProgram('.build/examples/subscriber/mirror/main.js', all, env)
  started.push(program)
  return program
}

const env = { DOSSIER_KEY: apiKey }

test('follows until SIGTERM, then leaves nothing that keeps it alive; the report is the mirror', async () => {
  segment.define()
  await segment.build([0, 1])
  const since = segment.position
  const following = start(['--segment', 'vip', '--every', '1'], env)
  await following.lineWith('equal, 2 members')
  await segment.change(2, 0)
  await segment.publish()
  await following.lineWith('2 facts in this run, 2 members')
  following.child.kill('SIGTERM')
  expect(await following.ended).toMatchObject({ code: 0, err: '' })

  const { fact: entered } = segment.published.at(-2) ?? {}
  const report = await start(['--report']).ended
  expect(report).toMatchObject({ code: 0, err: '' })
  expect(report.out.trimEnd().split('\n')).toEqual([
    `segment\tvip\tmembers\t2\tdigest\t${segment.digest}`,
    `position\t${String(segment.position)}\tentered since\t${String(since)}`,
    ...segment.members.toSorted().map((id) => `member\t${id}`),
    `entered\t${segment.entity(2)}\t2026-11-20T09:30:00.000Z\t${String(entered?.id)}`,
  ])

  const other = await start(['--segment', 'others', '--once'], env).ended
  expect(other).toMatchObject({ code: 1, out: '', err: `${database} is a mirror of vip\n` })
})

test('what is for people ends it with one line and exit code 1', async () => {
  const refused = await start(['--segment', 'vip', '--once'], env).ended
  expect(refused).toMatchObject({ code: 1, out: '', err: 'there is no segment vip\n' })
})

test('options that cannot be read: it says so in a line and makes nothing', async () => {
  const { code, out, err } = await start(['--segment', 'vip']).ended
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(/^set DOSSIER_KEY to an API key.*\n$/)
  expect(existsSync(database)).toBe(false)
})

test.each([
  [['--segment', 'A'], '--segment must be the key of a segment'],
  [[], '--segment must be the key of a segment'],
  [['--segment', 'a', '--service', 'esdb://127.0.0.1'], '--service must be an http'],
  [['--segment', 'a', '--url', 'http://127.0.0.1'], '--url must be a connection string'],
  [['--segment', 'a', '--compare', '0'], '--compare must be a whole number'],
  [['--segment', 'a', '--patience', 'x'], '--patience must be a whole number'],
  [['--segment', 'a', '--key', 'k'], 'see --help'],
])('%j: the options are wrong, and why', (args, text) => {
  expect(() => readOptions(args, env)).toThrow(text)
})

test('the feed is followed unless an EventStoreDB is named', () => {
  const args = ['--segment', 'a']
  const url = 'esdb://user:secret@127.0.0.1:2113'
  expect(readOptions(args, env)).toMatchObject({ url: undefined, once: false, everyMs: 300_000 })
  expect(readOptions(args, { ...env, SUBSCRIBER_URL: url })).toMatchObject({ url })
})
