import { expect, test } from '@jest/globals'
import { Registry } from 'prom-client'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { AppendMetrics } from '../../../src/adapters/prometheus/append-metrics.js'
import { Series } from '../../../src/adapters/prometheus/series.js'
import { noRevision } from '../../../src/application/ports/exact-appends.js'
import { guardStore } from '../../../src/application/recording/guard-store.js'
import { storedFact } from '../../support/stored-facts.js'

test('appends at an expected revision pass the same guards, and their facts can be read', async () => {
  const clock = { isTrusted: false }
  const metrics = new AppendMetrics(new Series(new Registry()))
  const store = guardStore(new MemoryEventStore(), {
    maxInFlight: 10,
    heapBytes: 1_048_576,
    clock,
    counter: metrics,
  })
  const append = { stream: 'segments', revision: noRevision, facts: [storedFact()] }
  await expect(store.appendAt(append)).rejects.toMatchObject({ code: 'clock_untrusted' })
  expect(await store.readStream('segments', 0)).toEqual([])
  clock.isTrusted = true
  expect(await store.appendAt(append)).toEqual({ position: '1', revision: 0 })
  expect(await store.readStream('segments', 0)).toMatchObject(append.facts)
  expect(metrics.newestPosition).toBe(1)
})
