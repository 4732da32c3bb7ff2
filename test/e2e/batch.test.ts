import { describe, expect, it } from '@jest/globals'
import { z } from 'zod'
import { batchAnswer, create, record, type BatchAnswer } from '../support/batch.js'
import { thoroughly } from '../support/thoroughness.js'
import { holdFlushes } from '../support/hold-flushes.js'
import { RawConnection } from '../support/raw-connection.js'
import { sharedService } from '../support/shared-service.js'
import { sqliteFacts } from '../support/sqlite-facts.js'
import { StartedService } from '../support/started-service.js'
import { itWithStrace } from '../support/strace.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()

/** Sends a batch. */
async function send(service: StartedService, items: readonly object[]): Promise<BatchAnswer> {
  const reply = await service.post('/batch', { items })
  return batchAnswer(reply.status, await reply.text())
}

/** As a client with keys does: the whole batch again until all of it is stored. */
async function sendUntilStored(service: StartedService, items: readonly object[]) {
  for (let tries = 1; ; tries += 1) {
    const answer = await send(service, items)
    if (answer.status === 200) return { ...answer, tries }
  }
}

const eventData = z.object({ properties: z.object({ n: z.number() }) })

/** The numbers of the events of an entity, in the order in which they are stored. */
function numbersOf({ database }: StartedService, entity: string): readonly number[] {
  const [, ...events] = sqliteFacts(database, `entity-${entity}`)
  return events.map(({ data }) => eventData.parse(JSON.parse(data)).properties.n)
}

/** In the order of the items. */
function expectGrowing(results: BatchAnswer['results']): void {
  const positions = results.map((one) => ('position' in one ? Number(one.position) : 0))
  expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b))
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

/** `count` keyed events of one entity, numbered. */
function events(entity: string, count: number) {
  return upTo(count).map((n) =>
    record(entity, { idempotency_key: `${entity}-${String(n)}`, properties: { n } }),
  )
}

describe('a service over a file', () => {
  // However slow the disk is, no item comes too late.
  const shared = sharedService({ STORE_TIMEOUT_MS: '60000' })

  it('stores a thousand items of one entity in their order', async () => {
    const service = shared()
    const { status, counts, results } = await send(service, [create('ada'), ...events('ada', 999)])
    expect([status, counts.stored]).toEqual([200, 1_000])
    expectGrowing(results)
  })

  it('stores items of a thousand entities in 4 MiB', async () => {
    const service = shared()
    const items = upTo(1_000).map((n) => create(`many-${String(n)}`, { properties: { t: '' } }))
    const room = Math.floor((4_194_304 - JSON.stringify({ items }).length) / items.length)
    for (const item of items) Object.assign(item, { properties: { t: 'x'.repeat(room) } })
    const { status, counts } = await send(service, items)
    expect([status, counts.stored]).toEqual([200, 1_000])
  })

  it('lives on when a client hangs up in the middle, and stores whole items in their order', async () => {
    const service = shared()
    const items = [create('bob', { idempotency_key: 'bob' }), ...events('bob', 100)]
    const client = await begin(service, items)
    client.reset()
    const { results } = await sendUntilStored(service, items)
    expect(results).toHaveLength(101)
    expectGrowing(results)
  })

  // The last one, which ends it. Nobody else may have its file open when the next one starts.
  it('has stored a part when it is killed in the middle, and the next one stores the rest', async () => {
    const items = [create('eve', { idempotency_key: 'eve' }), ...events('eve', 999)]
    const client = await begin(shared(), items)
    await shared().end('SIGKILL')
    await client.hungUp()
    const next = await StartedService.start(shared().folder)
    const { counts } = await sendUntilStored(next, items)
    expect(counts).toMatchObject({ refused: 0, unknown: 0 })
    const stored = ['ada', 'bob', 'eve'].map((entity) => numbersOf(next, entity))
    expect(stored).toEqual([upTo(999), upTo(100), upTo(999)])
  })
})

/** Sends a batch and resolves when some of it is stored. */
async function begin(service: StartedService, items: readonly object[]): Promise<RawConnection> {
  const before = await appends(service)
  const body = JSON.stringify({ items })
  const client = await RawConnection.open(service.port)
  client.send(
    'POST /batch HTTP/1.1',
    'Host: dossier',
    `Authorization: Bearer ${service.key}`,
    'Content-Type: application/json',
    `Content-Length: ${String(body.length)}`,
    '',
    body,
  )
  while ((await appends(service)) < before + 2) expect(service.runs).toBe(true)
  return client
}

async function appends({ origin }: StartedService): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text()
  return Number(/^dossier_appends_total\{outcome="stored"\} ([0-9]+)$/m.exec(text)?.[1] ?? 0)
}

thoroughly(itWithStrace)(
  'says which items may be stored and which are not when the disk hangs',
  async () => {
    const service = await StartedService.start(folder(), { STORE_TIMEOUT_MS: '700' })
    const items = [
      ...[create('ada'), create('bob')].map((item) => ({ ...item, idempotency_key: 'k' })),
      ...events('ada', 98),
    ]
    const hold = await holdFlushes(service.pid)
    const held = await send(service, items)
    expect(held.short).toEqual([
      '504 outcome_unknown',
      '504 outcome_unknown',
      ...Array<string>(98).fill('503 store_unavailable'),
    ])
    expect(held.counts).toEqual({ stored: 0, replayed: 0, refused: 98, unknown: 2 })
    await hold.release()
    const { tries } = await sendUntilStored(service, items)
    expect((await service.end()).code).toBe(0)
    expect(numbersOf(service, 'ada')).toEqual(upTo(98))
    expect(sqliteFacts(service.database, 'entity-bob')).toHaveLength(1)
    const failures = service.lines.filter((line) => line.includes('items of a batch failed'))
    expect(failures.filter((line) => line.includes('"items":98'))).not.toEqual([])
    expect(failures.length).toBeLessThanOrEqual(2 * tries)
  },
  60_000,
)
