import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { InjectedFaults, type FailingCalls } from '../support/disk-faults.js'
import { ReadOracle } from '../support/read-model/read-oracle.js'
import { StartedService } from '../support/started-service.js'
import { itWithStrace } from '../support/strace.js'
import { temporaryFolders } from '../support/temporary-folder.js'
import { thoroughly } from '../support/thoroughness.js'

const folder = temporaryFolders()

/** The time that a fault waits for its system call, in milliseconds. */
const maxWaitMs = 12_000
const rounds = Number(process.env['READ_MODEL_ROUNDS'] ?? 2)

const calls: readonly (readonly [files: readonly string[], calls: readonly string[]])[] = [
  // Calls of commits.
  [['-wal'], ['pwrite64']],
  [['-wal'], ['fsync', 'fdatasync']],
  [['-wal'], ['pread64']],
  // Calls of WAL checkpoints, which write the file, flush it, and maintain the marker beside it.
  [[''], ['pwrite64']],
  [[''], ['fsync', 'fdatasync']],
  [[''], ['pread64']],
  [['-copying'], ['write', 'pwrite64', 'fsync']],
  [['-shm'], ['ftruncate', 'pwrite64']],
  // All of these together, including the files of a rebuild.
  [
    ['', '-wal', '-copying', '.building'],
    ['pwrite64', 'write', 'fsync', 'fdatasync', 'ftruncate'],
  ],
]

function faultIn(round: number): {
  readonly files: readonly string[]
  readonly failing: FailingCalls
} {
  const [files, names] = calls[round % calls.length] ?? [[], []]
  const error = Math.floor(round / calls.length) % 2 === 0 ? 'ENOSPC' : 'EIO'
  const first = String(1 + (round % 4))
  const when = [first, `${first}..${String(round + 7)}`, `${first}+`][round % 3] ?? first
  return { files, failing: { calls: names, error, when } }
}

thoroughly(itWithStrace)(
  'answers nothing wrong while calls to the disk of the read model fail, and recovers by itself',
  async () => {
    const place = folder()
    const readModel = join(place, 'read-model.db')
    const start = () => StartedService.start(place, { READ_MODEL: readModel })
    let service = await start()
    const oracle = new ReadOracle(
      service,
      Array.from({ length: 40 }, (_, n) => `customer-${String(n)}`),
    )
    await oracle.begin()
    const seen: string[] = []
    const stuck: string[] = []
    for (let round = 0; round < rounds * calls.length; round += 1) {
      const { files, failing } = faultIn(round)
      oracle.load(4)
      await oracle.heard(20)
      const paths = files.map((end) => `${readModel}${end}`)
      const faults = await InjectedFaults.into(service.pid, { paths, failing: [failing] })
      await Promise.race([faults.first, pause(maxWaitMs, undefined, { ref: false })])
      await oracle.heard(40)
      await faults.release()
      await oracle.rest()
      const what = `${failing.error} of ${failing.calls.join(' ')} (${failing.when}) of ${files.join(' ')}`
      seen.push(`${what}: ${String(faults.count)} failed`)
      if (!(await oracle.recovers())) stuck.push(what)
      await oracle.readAll()
      if (round % 4 === 3) {
        if (round % 8 === 3) expect((await service.end()).code).toBe(0)
        else await service.end('SIGKILL')
        service = await start()
        oracle.use(service)
        await oracle.readAll()
      }
    }
    await service.end()
    expect(oracle.wrongAnswers()).toEqual([])
    expect(stuck).toEqual([])
    expect(oracle.answered).toBeGreaterThan(rounds * calls.length)
    expect(seen.filter((one) => !one.endsWith(': 0 failed')).length).toBeGreaterThan(rounds)
  },
  3_600_000,
)
