import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { DescriptorWatch } from '../../../src/adapters/system/descriptor-watch.js'
import { LogLines } from '../../support/log-lines.js'
import { ManualPause } from '../../support/manual-pause.js'

let log: LogLines
let failure: Error | undefined
let pauses: ManualPause
let watch: DescriptorWatch

beforeEach(async () => {
  log = new LogLines()
  failure = undefined
  pauses = new ManualPause()
  const tryOpen = () => (failure === undefined ? Promise.resolve() : Promise.reject(failure))
  watch = DescriptorWatch.start({ log, pause: pauses.pause, tryOpen })
  await pauses.begun()
})

afterEach(() => watch.stop())

function failWith(code: string): void {
  failure = Object.assign(new Error(code), { code })
}

async function look(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await pauses.pass()
}

test.each(['EMFILE', 'ENFILE'])(
  '%s is said once, with the limit, however long it lasts',
  async (code) => {
    await look(2)
    expect(log.lines).toEqual([])
    failWith(code)
    await look(100)
    expect(log.lines).toEqual([
      {
        level: 'error',
        details: {
          reason: code,
          openFilesLimit: process.platform === 'linux' ? expect.any(Number) : undefined,
        },
        message: expect.stringMatching(/no file descriptor is left.*ulimit -n/),
      },
    ])
  },
)

test('it is said again only after a minute without a shortage', async () => {
  failWith('EMFILE')
  await look(1)
  failure = undefined
  await look(59)
  failWith('EMFILE')
  await look(1)
  expect(log.lines).toHaveLength(1)
  failure = undefined
  await look(60)
  failWith('EMFILE')
  await look(2)
  expect(log.lines).toHaveLength(2)
})

test('another failure to open is no shortage', async () => {
  failWith('EACCES')
  await look(2)
  expect(log.lines).toEqual([])
})
