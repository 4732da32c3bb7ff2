import { ReadableStream } from 'node:stream/web'
import { expect, test } from '@jest/globals'
import type { FoundFact } from '../../fault-injection/found-facts.js'
import { runWithFaults } from '../../fault-injection/run.js'
import { openSqlite } from '../../fault-injection/stores.js'

async function crashesOf(env: Readonly<Record<string, string>>, afterMs: number) {
  const store = { ...(await openSqlite()), facts: () => ReadableStream.from<FoundFact>([]) }
  const row = await runWithFaults({ scenario: 'start', store, entityPrefix: 'none', env }, (run) =>
    run.killAtStart(afterMs),
  )
  return { crashed: row.crashed, faults: row.faults.join('\n') }
}

test('a program that is killed while it starts is as it was wanted', async () => {
  expect(await crashesOf({}, 0)).toEqual({ crashed: 0, faults: '' })
})

test('a program that ends by itself while it starts is a crash, with what it said', async () => {
  const { crashed, faults } = await crashesOf({ MAX_IN_FLIGHT: 'none' }, 20_000)
  expect(crashed).toBeGreaterThan(0)
  expect(faults).toMatch(/^a start ended by itself with 1:/)
  expect(faults).toContain('MAX_IN_FLIGHT')
})
