import { expect } from '@jest/globals'
import { z } from 'zod'
import { batchAnswer, create, record, type BatchAnswer } from '../support/batch.js'
import { holdFlushes } from '../support/hold-flushes.js'
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

/** Repeats the whole batch until all of it is stored, like a client with idempotency keys. */
async function sendUntilStored(service: StartedService, items: readonly object[]) {
  for (let tries = 1; ; tries += 1) {
    const answer = await send(service, items)
    if (answer.status === 200) return { ...answer, tries }
  }
}

const eventData = z.object({ properties: z.object({ n: z.number() }) })

/** Returns the numbers of an entity's events in stored order. */
function numbersOf({ database }: StartedService, entity: string): readonly number[] {
  const [, ...events] = sqliteFacts(database, `entity-${entity}`)
  return events.map(({ data }) => eventData.parse(JSON.parse(data)).properties.n)
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

/** Returns `count` numbered events of one entity with idempotency keys. */
function events(entity: string, count: number) {
  return upTo(count).map((n) =>
    record(entity, { idempotency_key: `${entity}-${String(n)}`, properties: { n } }),
  )
}

itWithStrace(
  'a batch reports which items may be stored and which are not when the disk hangs',
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
