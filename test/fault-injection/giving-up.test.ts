import { ReadableStream } from 'node:stream/web'
import { expect, test } from '@jest/globals'
import type { FoundFact } from '../../fault-injection/found-facts.js'
import { runWithFaults, type Run } from '../../fault-injection/run.js'
import { openSqlite } from '../../fault-injection/stores.js'

/** In place of the program: it listens, and fails with these last words. */
function failing(words: string): readonly string[] {
  const listening = '{"address":"http://127.0.0.1:1"}'
  return ['sh', '-c', `echo '${listening}'; echo '{"msg":"${words}"}'; exit 1`, 'sh']
}

async function rowOf(body: (run: Run) => Promise<void>) {
  const store = { ...(await openSqlite()), facts: () => ReadableStream.from<FoundFact>([]) }
  const options = { scenario: 'giving up', store, entityPrefix: 'none', mayGiveUp: true }
  return runWithFaults(options, body)
}

test('a service that gives up because its store is gone is started again', async () => {
  const { crashed, faults } = await rowOf(async (run) => {
    const first = await run.start(failing('the store is gone'))
    await first.ended
    const next = await run.current()
    expect(next).not.toBe(first)
    expect(run.gaveUp).toBe(1)
    await run.stop(next)
  })
  expect({ crashed, faults }).toEqual({ crashed: 0, faults: [] })
})

test('a service that ends with other words has crashed', async () => {
  const { crashed, faults } = await rowOf(async (run) => {
    await run.start(failing('nobody knows why'))
    await new Promise(() => undefined)
  })
  expect(crashed).toBe(1)
  expect(faults).toEqual(['the service ended by itself: 1'])
})
