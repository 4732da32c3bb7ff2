import { afterEach, describe, expect, test } from '@jest/globals'
import type { Append, EventStore } from '../../../../src/application/recording/ports/event-store.js'
import { Refusal } from '../../../../src/application/ports/refusal.js'
import { create, postBatch, record } from '../../../support/batch.js'
import { httpService, noObserver, type HttpService } from '../../../support/http-service.js'

let service: HttpService
const serve = (...parts: Parameters<typeof httpService>) => (service = httpService(...parts))
afterEach(() => service.server.close())

const send = (...items: readonly unknown[]) => postBatch(service.server, items)
const types = (id: string) => service.store.read(`entity-${id}`).map(({ type }) => type)

/** Returns a store whose appends fail with the error that `errorOf` returns for them. */
function failing(errorOf: (append: Append) => Error | undefined) {
  return (store: EventStore): EventStore => ({
    append: (append) => {
      const error = errorOf(append)
      return error === undefined ? store.append(append) : Promise.reject(error)
    },
  })
}

describe('faults of the store', () => {
  test('an item that cannot start in time is overloaded, and certainly not stored', async () => {
    let now = 0
    serve({
      batchLimits: { now: () => now, timeoutMs: 5_000 },
      eventStore: (store) => ({
        append: (append) => {
          now += 2_500
          return store.append(append)
        },
      }),
    })
    const { short, headers } = await send(create('a'), record('a'), record('a'), record('a'))
    expect(short).toEqual(['201', '201', '503 overloaded', '503 overloaded'])
    expect([headers['position'], headers['retry-after']]).toEqual(['2', '1'])
    expect(types('a')).toEqual(['EntityCreated', 'EventRecorded'])
  })
})

describe('the operator', () => {
  test('finds one log line per batch and error code, with the number of items', async () => {
    const faults: string[] = []
    serve({
      observer: { ...noObserver, fault: (code) => void faults.push(code) },
      eventStore: failing(({ stream }) => {
        if (stream === 'entity-ok') return undefined
        if (stream === 'entity-bug') return new TypeError('planted')
        return stream === 'entity-busy'
          ? new Refusal('overloaded', 'x')
          : new Refusal('outcome_unknown', 'no answer in time')
      }),
    })
    const { headers } = await send(
      create('a'),
      ...Array<object>(997).fill(record('a')),
      create('bug'),
      create('busy'),
    )
    const requestId = headers['request-id']
    const line = (code: string, items: number, reason: unknown) => ({
      level: 'error',
      message: 'items of a batch failed',
      details: { requestId, code, items, reason },
    })
    expect(service.log.lines).toEqual([
      line('outcome_unknown', 1, 'no answer in time'),
      line('store_unavailable', 997, 'an earlier item about the same entity may still be stored'),
      line('internal_error', 1, expect.stringContaining('batch-failures.test.')),
    ])
    const told = new Map<string, number>()
    for (const code of faults) told.set(code, (told.get(code) ?? 0) + 1)
    expect(Object.fromEntries(told)).toEqual({
      outcome_unknown: 1,
      store_unavailable: 997,
      internal_error: 1,
      overloaded: 1,
    })
    await service.server.close()
    expect(service.log.lines.slice(3)).toEqual([
      {
        level: 'warn',
        message: 'requests were refused',
        details: { code: 'overloaded', refused: 1 },
      },
    ])
  })
})
