import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { StartedService } from '../support/started-service.js'
import { holdFlushes } from '../support/hold-flushes.js'
import { itWithStrace } from '../support/strace.js'
import { sqliteFacts } from '../support/sqlite-facts.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()

itWithStrace(
  'the service flushes the log after the request and before the reply',
  async () => {
    const place = folder()
    const trace = join(place, 'trace')
    const calls = 'trace=fsync,fdatasync,write,writev,sendto,sendmsg'
    const service = await StartedService.start(place, {}, [
      ...['strace', '-D', '-f', '-y', '-s', '64', '-o', trace, '-e', calls],
    ])
    await service.createEntity('ada')
    for (let n = 0; n < 5; n += 1) {
      await service.post('/events', { entity_external_id: 'ada', name: 'login' })
    }
    expect((await service.end()).code).toBe(0)
    const flushed = /(?:fsync|fdatasync)\(\d+<[^>]*dossier\.db-wal>\)? *(?:= 0|<unfinished)/
    const steps = readFileSync(trace, 'utf8')
      .split('\n')
      .flatMap((line) =>
        flushed.test(line) ? ['flush'] : line.includes('HTTP/1.1 201 Created') ? ['reply'] : [],
      )
    expect(steps.filter((step) => step === 'reply')).toHaveLength(6)
    steps.forEach((step, index) => {
      if (step === 'reply') expect(steps[index - 1]).toBe('flush')
    })
  },
  60_000,
)

itWithStrace(
  'the service answers 504 when the disk hangs, stays alive, and recovers',
  async () => {
    const service = await StartedService.start(folder(), { STORE_TIMEOUT_MS: '700' })
    await service.createEntity('ada')
    const event = { entity_external_id: 'ada', name: 'login' }
    const hold = await holdFlushes(service.pid)
    const replies = await Promise.all([
      service.post('/events', event, { 'idempotency-key': 'k' }),
      service.post('/events', event),
      service.createEntity('bob'),
    ])
    expect(replies.map(({ status }) => status)).toEqual([504, 504, 504])
    const { error } = (await replies[0].json()) as { error: { code: string; message: string } }
    expect(error.code).toBe('outcome_unknown')
    expect(error.message).toMatch(/again with the same Idempotency-Key/)
    expect((await fetch(`${service.origin}/health/live`)).status).toBe(200)
    expect((await fetch(`${service.origin}/health/ready`)).status).toBe(503)
    await hold.release()
    const again = await repeatUntilKnown(() =>
      service.post('/events', event, { 'idempotency-key': 'k' }),
    )
    expect(again.status).toBe(201)
    await service.end()
    const facts = sqliteFacts(service.database, 'entity-ada')
    const { data } = (await again.json()) as { data: { id: string } }
    expect(facts.filter(({ id }) => id === data.id)).toHaveLength(1)
    expect(facts.filter(({ metadata }) => metadata.includes('idempotencyKey'))).toHaveLength(1)
  },
  60_000,
)

/** Repeats the request with its idempotency key until the outcome is known, as the 504 reply advises. */
async function repeatUntilKnown(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const reply = await send()
    if (reply.status !== 504) return reply
  }
}
