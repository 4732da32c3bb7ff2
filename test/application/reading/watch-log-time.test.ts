import { setImmediate as immediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { LogTimeWatch } from '../../../src/application/reading/watch-log-time.js'
import type { ReadStatus } from '../../../src/application/reading/ports/read-model.js'
import { LogLines } from '../../support/log-lines.js'
import { ManualPause } from '../../support/manual-pause.js'

const logTime = Date.parse('2026-11-20T09:30:00.000Z')

let log: LogLines
let pauses: ManualPause
let now: number
let status: ReadStatus
let watchers: Set<() => void>
let watch: LogTimeWatch

beforeEach(() => {
  log = new LogLines()
  pauses = new ManualPause()
  watchers = new Set()
  now = logTime
  status = {
    applied: { position: 1, id: 'x' },
    reached: 1,
    newest: 1,
    isBuilding: false,
    fullProfiles: [],
    logTime,
    builds: 0,
    trouble: undefined,
  }
  const readModel = {
    get status() {
      return status
    },
    watch: (listener: () => void) => {
      watchers.add(listener)
      return () => watchers.delete(listener)
    },
  }
  const clock = { now: () => new Date(now) }
  watch = new LogTimeWatch(readModel, { clock, log, pause: pauses.pause })
})
afterEach(() => watch.stop())

function become(isBuilding: boolean): void {
  status = { ...status, isBuilding }
  for (const listener of [...watchers]) listener()
}

it('the watch logs once that the clock lags log time, and once that it has caught up', async () => {
  now = logTime - 25_000
  watch.start()
  await pauses.begun()
  expect(watch.behindMs).toBe(25_000)
  now += 10_000
  await pauses.pass()
  now += 14_999
  await pauses.pass()
  expect(watch.behindMs).toBe(1)
  expect(log.lines).toEqual([
    {
      level: 'warn',
      details: { behindSeconds: 25 },
      message: expect.stringContaining('the clock is behind'),
    },
  ])
  now += 1
  await pauses.pass()
  now += 10_000
  await pauses.pass()
  expect(watch.behindMs).toBe(0)
  expect(log.lines.slice(1)).toEqual([
    { level: 'info', details: {}, message: expect.stringContaining('has caught up') },
  ])
  expect(new Set(pauses.lengths)).toEqual(new Set([10_000]))
})

it('the watch logs nothing while the clock does not lag, and detects a clock that is set back later', async () => {
  watch.start()
  await pauses.begun()
  expect(log.lines).toEqual([])
  now -= 1
  await pauses.pass()
  expect(log.lines).toHaveLength(1)
})

it('the watch waits until the read model is complete', async () => {
  become(true)
  now = logTime - 1_000
  watch.start()
  become(true)
  expect([watchers.size, log.lines]).toEqual([1, []])
  become(false)
  await immediate()
  expect([watchers.size, log.lines.length]).toEqual([0, 1])
})

it('the watch does not report a clock as caught up while log time is unknown', async () => {
  now = logTime - 1_000
  watch.start()
  await pauses.begun()
  status = { ...status, logTime: 0, isBuilding: true }
  await pauses.pass()
  expect(log.lines).toHaveLength(1)
})

it('the watch can be stopped during a rebuild', async () => {
  become(true)
  watch.start()
  await watch.stop()
  expect([watchers.size, pauses.lengths, log.lines]).toEqual([0, [], []])
})
