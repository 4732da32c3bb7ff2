import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from '@jest/globals'
import { MemoryEventStore } from '../../../../src/adapters/memory/memory-event-store.js'
import { openDatabase } from '../../../../src/adapters/sqlite/file/driver.js'
import { storedCheckpoint } from '../../../../src/adapters/sqlite/read-model/read-model-version.js'
import { SqliteProjections } from '../../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { pause } from '../../../../src/adapters/system/clock-and-ids.js'
import { RunningProjections } from '../../../../src/application/reading/run-projections.js'
import { LogLines } from '../../../support/log-lines.js'
import { storedEntity } from '../../../support/stored-entity.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'

const folder = temporaryFolders()

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close()
})

function projectionsAt(path: string, dropped: string[], sliceMs?: number): SqliteProjections {
  return SqliteProjections.open({
    path,
    factsFile: undefined,
    onDropped: (reason) => dropped.push(reason),
    onDiverged: () => undefined,
    ...(sliceMs === undefined ? {} : { sliceMs }),
  })
}

/** The same file by another connection, through which a test makes writes fail as a full disk does. */
class OtherConnection {
  private readonly db

  constructor(path: string) {
    this.db = openDatabase(path, { timeout: 1_000 })
    opened.push(this.db)
  }

  async committed(position: number): Promise<void> {
    while (storedCheckpoint(this.db).checkpoint.position < position) await immediate()
  }

  /** What is written to the table from now on fails, and takes its whole transaction with it. */
  failWrites(operation: 'INSERT' | 'UPDATE', table: string): void {
    this.db.exec(
      `CREATE TRIGGER no_room BEFORE ${operation} ON ${table} BEGIN
         SELECT raise(ROLLBACK, 'no room');
       END`,
    )
  }

  heal(): void {
    this.db.exec('DROP TRIGGER no_room')
  }
}

/** A read model that follows a store, with an entity in it that is committed. */
async function running() {
  const store = new MemoryEventStore()
  const path = join(folder(), 'read-model.db')
  const lines = new LogLines()
  const dropped: string[] = []
  const projections = projectionsAt(path, dropped)
  const model = new RunningProjections(store, projections, { log: lines, gatherMs: 0, pause })
  opened.push(model)
  model.start()
  const [create, ...others] = storedEntity('ada', 3)
  const write = async (appends: readonly (typeof create)[]) => {
    let position = 0
    for (const append of appends) {
      if (append !== undefined) position = Number((await store.append(append)).position)
    }
    return position
  }
  const ask = async (position?: number, waitMs = 20_000) => {
    const want = position === undefined ? { waitMs } : { position, waitMs }
    const answer = await model.query('profile', { externalId: 'ada' }, want)
    const { value, position: known } = answer
    return { plan: value?.properties.value['plan'], events: value?.eventCount, known }
  }
  const hasTrouble = () =>
    new Promise<void>((resolve) => {
      const stop = model.watch(() => {
        if (model.status.trouble === undefined) return
        stop()
        resolve()
      })
    })
  const before = await write([create])
  await ask(before)
  const other = new OtherConnection(path)
  await other.committed(before)
  return { model, lines, dropped, write, others, ask, hasTrouble, before, other }
}

const isBehind = { code: 'read_model_behind' }

describe('a read model whose commit fails some time after its facts were applied', () => {
  it.each([
    ['INSERT', 'entity_logs'],
    ['UPDATE', 'entities'],
  ] as const)(
    'claims no position that it does not have (%s of %s)',
    async (operation, table) => {
      const { model, lines, dropped, write, others, ask, hasTrouble, before, other } =
        await running()
      other.failWrites(operation, table)
      const fails = hasTrouble()
      const after = await write(others)
      await fails
      await expect(ask(after, 100)).rejects.toMatchObject(isBehind)
      for (let times = 0; times < 3; times += 1) {
        expect(await ask(before)).toEqual({ plan: 'free', events: 0, known: before })
        await expect(ask(after, 0)).rejects.toMatchObject(isBehind)
        expect(model.status.applied.position).toBe(before)
        expect(model.status.trouble).toContain('no room')
      }
      other.heal()
      expect(await ask(after)).toEqual({ plan: 'paid', events: 3, known: after })
      expect(model.status).toMatchObject({ trouble: undefined, builds: 1 })
      expect(dropped).toEqual([])
      expect(lines.lines.filter(({ level }) => level !== 'info')).toHaveLength(1)
      await other.committed(after)
    },
    60_000,
  )
})
