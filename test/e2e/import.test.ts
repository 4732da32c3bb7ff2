import { spawnSync } from 'node:child_process'
import { appendFileSync, createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from '@jest/globals'
import { Random } from '../../fault-injection/random.js'
import { Dossier } from '../../src/client/dossier.js'
import { importFiles } from '../../src/importing/import-files.js'
import { ImportStopped } from '../../src/importing/import-stopped.js'
import { accountIn, root, startProgram, type Program } from '../examples/online-retail/program.js'
import { KilledService } from '../support/client/killed-service.js'
import { UnreliableProxy } from '../support/client/unreliable-proxy.js'
import { itThoroughly, quickOrThorough } from '../support/thoroughness.js'
import { sharedService } from '../support/shared-service.js'
import { startedProgram } from '../support/started-programs.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const importer = startedProgram('dossier')
const running = new Set<Program>()
let proxy: UnreliableProxy | undefined

/** Kills processes that a failed test left behind. */
afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL')
  running.clear()
  await proxy?.close()
  proxy = undefined
})

/** A change of a file with these lines, and the account of the import after it. */
type FileChange = [
  name: string,
  change: (path: string, lines: readonly string[]) => void,
  account: object,
]

interface Service {
  readonly url: string
  readonly key: string
}

function start({ url, key }: Service, words: readonly string[], nodeOptions = ''): Program {
  const env = { DOSSIER_URL: url, DOSSIER_KEY: key, NODE_OPTIONS: nodeOptions }
  const program = startProgram(importer, ['import', ...words], env)
  running.add(program)
  return program
}

const env = { READ_MODEL: 'data/read-model.db' }

function clientOf({ origin: url, key }: StartedService) {
  return { url, key, dossier: new Dossier({ url, key }) }
}

function fileOf(bytes: string | Buffer, name = 'file'): string {
  const path = join(folder(), name)
  writeFileSync(path, bytes)
  return path
}

function refusedIn(path: string): readonly Record<string, unknown>[] {
  const lines = readFileSync(`${path}.refused.ndjson`, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

const event = (customer: string, n: number) =>
  JSON.stringify({
    op: 'record_event',
    entity_external_id: customer,
    name: 'visit',
    upsert: true,
    properties: { n },
  })

/** Returns the message with which an import in this process stops. */
async function stopOf(path: string, dossier: Dossier): Promise<string> {
  const options = { url: '', key: '', maxItems: 100, concurrency: 1, timeoutMs: 60_000 }
  const nothing = () => undefined
  const progress = { begin: nothing, done: nothing, waits: nothing, end: nothing }
  const streams = { input: Readable.from([]), result: nothing }
  try {
    await importFiles({ files: [path], name: undefined, ...options }, dossier, progress, streams)
  } catch (error) {
    if (error instanceof ImportStopped) return error.message
    throw error
  }
  throw new Error('the import did not stop')
}

/** Returns the number of stored events. */
async function eventsIn(dossier: Dossier): Promise<number> {
  const feed = dossier.facts({ types: ['EventRecorded'] })
  let events = 0
  for (let cursor = 'start'; ;) {
    const page = await feed.page({ cursor, limit: 1_000 })
    events += page.items.length
    if (page.at_head) return events
    cursor = page.next_cursor
  }
}

describe('dossier import', () => {
  /** A shared service. Each test writes about different entities. */
  const shared = sharedService(env)
  const size = {
    lines: 12_000,
    kills: 4,
    everyRequests: 40,
    importKills: [20, 90, 130, 170],
  }

  itThoroughly(
    'stores each line once and in order, although it and the service are killed repeatedly',
    async () => {
      proxy = await UnreliableProxy.start({ random: new Random(20_261_125) })
      const service = await KilledService.start(folder(), proxy, size)
      const { url } = proxy
      const lines = Array.from({ length: size.lines }, (_, n) =>
        n % 1_000 === 999 ? '{"op":"record_event"}' : event(`customer-${String(n % 40)}`, n),
      )
      const path = fileOf(`${lines.join('\n')}\n`)
      const words = [path, '--batch', '100']
      let program = start({ url, key: service.key }, words)
      const passedOn = proxy.passedOn
      const kills = [...size.importKills]
      proxy.passedOn = (count) => {
        passedOn(count)
        if (count < (kills[0] ?? Infinity)) return
        kills.shift()
        program.child.kill('SIGKILL')
      }
      let ended = await program.ended
      while (ended.signal === 'SIGKILL') {
        program = start({ url, key: service.key }, words)
        ended = await program.ended
      }
      await service.end()
      expect(ended).toMatchObject({ code: 1 })
      expect(kills).toEqual([])
      expect(service.kills).toBe(size.kills)
      const refused = size.lines / 1_000
      const account = accountIn(ended)
      expect(account).toMatchObject({ lines: size.lines, refused })
      expect(account['already there']).toBeGreaterThan(0)
      expect(refusedIn(path).map(({ line }) => line)).toEqual(
        Array.from({ length: refused }, (_, at) => (at + 1) * 1_000),
      )
      expect(refusedIn(path)[0]).toMatchObject({
        code: 'validation_failed',
        text: '{"op":"record_event"}',
      })

      const again = await StartedService.start(service.folder, env)
      const { dossier } = clientOf(again)
      const seen = new Map<string, number[]>()
      for (let cursor = 'start'; ;) {
        const page = await dossier
          .facts({ types: ['EventRecorded'] })
          .page({ cursor, limit: 1_000 })
        for (const fact of page.items) {
          if (fact.type !== 'EventRecorded') continue
          const { entity_external_id: id, properties } = fact.data
          seen.set(id, [...(seen.get(id) ?? []), Number(properties['n'])])
        }
        if (page.at_head) break
        cursor = page.next_cursor
      }
      const all = [...seen.values()]
      expect(all.flat()).toHaveLength(size.lines - refused)
      for (const numbers of all) {
        expect(numbers).toEqual([...new Set(numbers)].toSorted((left, right) => left - right))
      }
    },
  )

  it('refuses a line of 100 MB without loading it, and stores the lines around it', async () => {
    const service = clientOf(shared())
    const long = `{"op":"create_entity","external_id":"${'x'.repeat(100_000_000)}"}`
    const path = fileOf(`${event('eve', 1)}\n${long}\n${event('eve', 2)}`)
    // Reads `VmHWM` of the process, because `resourceUsage` may report the memory of its parent.
    const hook =
      "import { readFileSync } from 'node:fs'\n" +
      "const peak = () => /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]\n" +
      "process.on('exit', () => console.error('peak', peak()))"
    const program = start(service, [path], `--import=${fileOf(hook, 'peak.mjs')}`)
    const ended = await program.ended
    expect(accountIn(ended)).toMatchObject({ lines: 3, 'stored now': 2, refused: 1 })
    expect(refusedIn(path)).toEqual([
      { line: 2, code: 'line_too_long', message: expect.stringContaining('4 MiB') },
    ])
    const [, kilobytes] = /peak ([0-9]+)/.exec(ended.err) ?? []
    expect(Number(kilobytes)).toBeGreaterThan(0)
    expect(Number(kilobytes)).toBeLessThan(180_000)
  })

  it('creates entities from CSV, compressed or not, from a file and from standard input', async () => {
    const service = clientOf(shared())
    const csv = '\uFEFFexternal_id,age:number,note\r\nada,36,"says ""hi"""\r\nbob,,\r\n'
    const path = fileOf(csv, 'customers.csv')
    const first = await start(service, [path]).ended
    expect(first).toMatchObject({ code: 0 })
    expect(accountIn(first)).toMatchObject({ lines: 3, 'stored now': 2, refused: 0 })
    expect(existsSync(`${path}.refused.ndjson`)).toBe(false)
    const packed = fileOf(gzipSync(csv), 'no-name-of-gzip')
    expect(accountIn(await start(service, [packed]).ended)).toMatchObject({ 'already there': 2 })

    const fromPipe = async () => {
      const program = start(service, ['-', '--name', 'monday'])
      if (program.child.stdin === null) throw new Error('no standard input')
      createReadStream(packed).pipe(program.child.stdin)
      return accountIn(await program.ended)
    }
    expect(await fromPipe()).toMatchObject({ 'stored now': 1, 'already there': 1 })
    expect(await fromPipe()).toMatchObject({ 'already there': 2 })
    const { dossier } = service
    const ada = await dossier.entities.get('ada', {}, { wait: 5 })
    expect(ada.properties).toEqual({ age: 36, note: 'says "hi"' })
    expect((await dossier.entities.get('bob')).properties).toEqual({})
  })

  it('stores messages of Segment as SDKs do, each once and at its own time', async () => {
    const service = clientOf(shared())
    const timestamp = '2025-03-01T10:00:00.000Z'
    const sent = { userId: 'zoe', timestamp, sentAt: '2025-03-01T10:00:01.000Z' }
    const messages = [
      { type: 'identify', ...sent, traits: { plan: 'paid' } },
      { type: 'track', ...sent, event: 'Bought', properties: { total: 12 } },
      { type: 'track', ...sent },
      { type: 'page', anonymousId: 'anonymous' },
    ]
    const path = fileOf(messages.map((one) => JSON.stringify(one)).join('\n'))
    for (let time = 0; time < 2; time += 1) {
      const ended = await start(service, [path]).ended
      expect(ended).toMatchObject({ code: 1 })
      expect(accountIn(ended)).toEqual({ lines: 4, stored: 3, refused: 1 })
      expect(refusedIn(path)).toMatchObject([
        { line: 3, code: 'validation_failed', details: [{ path: '/event', code: 'required' }] },
      ])
    }
    const { dossier } = service
    const typesOf = async (entity: string) =>
      (await dossier.facts({ entity }).page()).items.map(({ type }) => type)
    expect(await typesOf('zoe')).toEqual(['EntityCreated', 'EventRecorded'])
    expect(await typesOf('anon:anonymous')).toEqual(['EntityCreated', 'EventRecorded'])
    const [bought] = (await dossier.entities.events('zoe', {}, { wait: 5 }).page()).items
    expect(bought).toMatchObject({ name: 'Bought', occurred_at: timestamp })
    expect(await dossier.entities.get('zoe')).toMatchObject({ properties: { plan: 'paid' } })
  })

  it('voids stored events, and refuses a line about an event that the entity does not have', async () => {
    const { dossier, ...service } = clientOf(shared())
    await dossier.entities.create('kim')
    const { id } = await dossier.entities.record('kim', { name: 'purchase' })
    const kept = await dossier.entities.record('kim', { name: 'login' })
    const op = { op: 'void_event', entity_external_id: 'kim' }
    const lines = [
      { ...op, event_id: id, reason: 'twice' },
      { ...op, event_id: 'unknown' },
    ]
    const path = fileOf(lines.map((one) => JSON.stringify(one)).join('\n'))
    const ended = await start(service, [path]).ended
    expect(accountIn(ended)).toMatchObject({ lines: 2, 'stored now': 1, refused: 1 })
    expect(refusedIn(path)).toMatchObject([{ line: 2, code: 'event_not_found' }])
    const again = await start(service, [path]).ended
    expect(accountIn(again)).toMatchObject({ 'stored now': 0, 'already there': 1, refused: 1 })
    const [fact, ...more] = (await dossier.facts({ entity: 'kim', types: ['EventVoided'] }).page())
      .items
    expect(fact).toMatchObject({ data: { event_id: id, reason: 'twice' } })
    expect(more).toEqual([])
    dossier.note(fact?.position ?? '')
    const { items } = await dossier.entities.events('kim').page()
    expect(items.map((one) => one.id)).toEqual([kept.id])
  })

  it('removes the refused lines of a previous import, and continues with the next file', async () => {
    const service = clientOf(shared())
    const bad = fileOf('{"op":"record_event","entity_external_id":"nobody","name":"visit"}')
    const good = fileOf(event('nobody', 1))
    const first = await start(service, [bad, good]).ended
    expect(first).toMatchObject({ code: 1 })
    expect(first.out).toContain(`${bad}.refused.ndjson`)
    expect(refusedIn(bad)).toMatchObject([{ line: 1, code: 'entity_not_found' }])
    expect(await start(service, [bad]).ended).toMatchObject({ code: 0 })
    expect(existsSync(`${bad}.refused.ndjson`)).toBe(false)
  })

  const lineAdded: FileChange = [
    'a line is added',
    (path) => {
      appendFileSync(path, `\n${event('late', 1)}`)
    },
    { lines: 2_001, refused: 0, facts: 2_001 },
  ]
  it.each<FileChange>([
    ...quickOrThorough({ quick: [], thorough: [lineAdded] }),
    [
      'lines change, and one is now about another entity',
      (path, lines) => {
        const renamed = (at: number) => (lines.at(at) ?? '').replace('visit', 'other')
        const changed = lines.with(1, renamed(1)).with(2, event('late', 1)).with(-1, renamed(-1))
        writeFileSync(path, changed.join('\n'))
      },
      { lines: 2_000, refused: 1, facts: 2_001 },
    ],
  ])(
    'stores no unchanged line twice when a file changes during the import and is imported again as advised: %s',
    async (what, change, expected) => {
      const { url, key, dossier } = clientOf(shared())
      const before = await eventsIn(dossier)
      const lines = Array.from({ length: 2_000 }, (_, n) =>
        event(`${what} ${String(n % 40)}-${'x'.repeat(150)}`, n),
      )
      const path = fileOf(lines.join('\n'))
      let isChanged = false
      const beside: typeof fetch = (...request) => {
        if (!isChanged) change(path, lines)
        isChanged = true
        return fetch(...request)
      }
      const message = await stopOf(path, new Dossier({ url, key, fetch: beside }))
      const [, name = ''] = /changed while .* --name ([0-9a-f]{64})\./.exec(message) ?? []
      const again = accountIn(await start({ url, key }, [path, '--name', name]).ended)
      expect(again['already there']).toBeGreaterThan(0)
      const facts = (await eventsIn(dossier)) - before
      expect({ lines: again['lines'], refused: again['refused'], facts }).toEqual(expected)
      const refused = existsSync(`${path}.refused.ndjson`) ? refusedIn(path) : []
      expect(refused).toMatchObject(
        Array.from({ length: again['refused'] ?? 0 }, () => ({
          line: 2,
          code: 'idempotency_key_reused',
        })),
      )
    },
  )

  it('stops when the refused lines cannot be written to their file', () => {
    const path = fileOf(JSON.stringify({ not: 'an item', text: 'x'.repeat(5_000) }))
    const { url, key } = clientOf(shared())
    const program = spawnSync(
      'sh',
      ['-c', 'ulimit -f 1; exec "$0" "$1" import "$2"', process.execPath, importer, path],
      { cwd: root, env: { DOSSIER_URL: url, DOSSIER_KEY: key }, encoding: 'utf8' },
    )
    expect(program).toMatchObject({ status: 1, stdout: '' })
    expect(program.stderr).toContain(`refused lines cannot be written to ${path}.refused.ndjson`)
  })

  it('stops when no line could be stored, and gives the reason', async () => {
    const service = clientOf(shared())
    const path = fileOf(event('joe', 1))
    const denied = await start({ ...service, key: 'none' }, [path]).ended
    expect(denied).toMatchObject({ code: 1, out: '' })
    expect(denied.err).toMatch(/^import: .*No valid key/m)
    const gone = await UnreliableProxy.start({ random: new Random(1) })
    const { url } = gone
    await gone.close()
    const away = await start({ ...service, url }, [path, '--limit', '3']).ended
    expect(away).toMatchObject({ code: 1, out: '' })
    expect(away.err).toMatch(/^waiting: .*ECONNREFUSED/m)
    expect(away.err).toMatch(/^import: .*did not answer.*tried for 3 s.*again/m)
  })
})
