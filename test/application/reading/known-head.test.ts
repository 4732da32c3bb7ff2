import { expect, test } from '@jest/globals'
import { SqliteProjections } from '../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { pause } from '../../../src/adapters/system/clock-and-ids.js'
import type { FactLog, LogPage } from '../../../src/application/facts/ports/fact-log.js'
import type { StreamReader } from '../../../src/application/ports/exact-appends.js'
import { RunningProjections } from '../../../src/application/reading/run-projections.js'
import { silentLog } from '../../support/silent-log.js'

/** A log whose end and pages the test determines. */
class ScriptedLog implements FactLog, StreamReader {
  newest = 0
  yielded: (page: LogPage) => void = () => undefined

  async *follow(_after: number, signal: AbortSignal): AsyncIterable<LogPage> {
    while (!signal.aborted) {
      const page = await new Promise<LogPage | undefined>((resolve) => {
        this.yielded = resolve
        signal.addEventListener('abort', () => {
          resolve(undefined)
        })
      })
      if (page !== undefined) yield page
    }
  }

  head() {
    return Promise.resolve({ newest: this.newest, end: this.newest })
  }

  at() {
    return Promise.resolve(undefined)
  }

  readStream() {
    return Promise.resolve([])
  }

  close() {
    return Promise.resolve()
  }
}

test('the status contains the last known head of the log and the position that was read', async () => {
  const log = new ScriptedLog()
  const projections = SqliteProjections.open({
    path: 'memory:',
    factsFile: undefined,
    onDropped: () => undefined,
    onDiverged: () => undefined,
  })
  const running = new RunningProjections(log, projections, { log: silentLog, gatherMs: 0, pause })
  const told = () =>
    new Promise<void>((resolve) => {
      const unwatch = running.watch(() => {
        unwatch()
        resolve()
      })
    })
  const started = told()
  running.start()
  await started
  expect(running.status).toMatchObject({ isBuilding: false, reached: 0, newest: 0 })

  log.newest = 30
  const heard = told()
  const asked = running.query('profile', { externalId: 'ada' }, { position: 'head', waitMs: 300 })
  await expect(asked).rejects.toMatchObject({ code: 'read_model_behind' })
  await heard
  expect(running.status).toMatchObject({ reached: 0, newest: 30 })

  const read = told()
  log.yielded({ facts: [], reached: 40 })
  await read
  expect(running.status).toMatchObject({ applied: { position: 0 }, reached: 40, newest: 40 })
  await running.close()
})
