import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { canMount, mountSmallDisk } from '../../test/support/mount-small-disk.js'
import { runWithFaults } from '../run.js'
import { byForm, skippedRow, type Context, type Row, type Scenario } from '../scenario.js'
import { openSqlite } from '../stores.js'

const name = 'disk-full'
const megabytes = 256

/** The disk becomes full under load, the service refuses writes, and space is freed again. */
export const diskFullScenario: Scenario = {
  name,
  run: async (context) => {
    if (!canMount()) return [skippedRow(name, 'sqlite', 'no file system can be mounted here')]
    const disk = mountSmallDisk(megabytes)
    try {
      return [await over(disk.folder, context)]
    } finally {
      disk.unmount()
    }
  },
}

async function over(folder: string, context: Context): Promise<Row> {
  const { runId, say, random } = context
  const rounds = byForm(context, { smoke: 1, quick: 2, thorough: 8 })
  const entityPrefix = `${runId}-${name}`
  const store = await openSqlite()
  const padding = 'x'.repeat(2_000)
  return runWithFaults({ scenario: name, store, entityPrefix, folder, padding }, async (run) => {
    const service = await run.start()
    await run.nextEntities()
    const load = run.load({ keyed: 8, unkeyed: 8, restMs: 50 })
    const recoveries: number[] = []
    for (let round = 1; round <= rounds; round += 1) {
      say(`sqlite: full ${String(round)} of ${String(rounds)}`)
      await load.acknowledged(100)
      const ballast = fill(folder)
      await load.nextRefusal()
      await pause(random.between(500, 1_500))
      rmSync(ballast)
      const freed = performance.now()
      await load.nextStored()
      recoveries.push(performance.now() - freed)
    }
    await load.stop()
    await run.stop(service)
    run.notes.push(
      `${String(rounds)} times full; ${String(load.codes.get('store_unavailable') ?? 0)} requests refused as store_unavailable, ${String(load.codes.get('outcome_unknown') ?? 0)} outcome_unknown`,
      `stored again ${Math.max(...recoveries).toFixed(0)} ms after there was room, at most`,
    )
  })
}

/** Fills all free space. Returns the path of the file. */
function fill(folder: string): string {
  const path = join(folder, 'ballast')
  const file = openSync(path, 'w')
  for (let size = 1_048_576; size >= 4_096;) {
    try {
      writeSync(file, Buffer.alloc(size))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      size /= 2
    }
  }
  closeSync(file)
  return path
}
