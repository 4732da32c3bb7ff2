import { spawnSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from '@jest/globals'
import { MemoryEventStore } from '../../../../src/adapters/memory/memory-event-store.js'
import { openDatabase } from '../../../../src/adapters/sqlite/file/driver.js'
import { storedCheckpoint } from '../../../../src/adapters/sqlite/read-model/read-model-version.js'
import { SqliteProjections } from '../../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { pause } from '../../../../src/adapters/system/clock-and-ids.js'
import { RunningProjections } from '../../../../src/application/reading/run-projections.js'
import { applyAll } from '../../../support/apply-all.js'
import { LoggedStore } from '../../../support/logged-store.js'
import { LogLines } from '../../../support/log-lines.js'
import { storedEntity } from '../../../support/stored-entity.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'
import { nextLook } from '../../../support/next-look.js'

const folder = temporaryFolders()
const locker = fileURLToPath(new URL('../../../support/lock-whole-file.js', import.meta.url))

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

/** A second connection to the file, through which a test makes writes fail as a full disk does. */
class OtherConnection {
  private readonly db

  constructor(readonly path: string) {
    this.db = openDatabase(path, { timeout: 1_000 })
    opened.push(this.db)
  }

  async committed(position: number): Promise<void> {
    while (storedCheckpoint(this.db).checkpoint.position < position) await nextLook()
  }

  /** Makes writes to the table fail from now on. A failed write rolls back its whole transaction. */
  failWrites(operation: 'INSERT' | 'UPDATE', table: string, when = '1'): void {
    this.db.exec(
      `CREATE TRIGGER no_room BEFORE ${operation} ON ${table} WHEN ${when} BEGIN
         SELECT raise(ROLLBACK, 'no room');
       END`,
    )
  }

  heal(): void {
    this.db.exec('DROP TRIGGER no_room')
  }
}

/** Returns a read model that follows a store and has committed one entity. */
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
    'reports no position beyond its stored facts (%s of %s)',
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

/** Returns projections without a runner, and the facts of an entity whose creation is committed. */
async function projected(sliceMs?: number) {
  const store = new LoggedStore(new MemoryEventStore())
  for (const append of storedEntity('ada', 3)) await store.append(append)
  const path = join(folder(), 'read-model.db')
  const projections = projectionsAt(path, [], sliceMs)
  opened.push(projections)
  projections.finishBuild()
  const [created, ...others] = store.facts
  if (created === undefined) throw new TypeError('a creation was expected')
  applyAll(projections, [created])
  const other = new OtherConnection(path)
  await other.committed(created.position)
  return { projections, other, others, before: created.position }
}

describe('projections whose transaction SQLite has rolled back', () => {
  it('apply no facts, answer no queries and commit nothing until they are reopened', async () => {
    const { projections, other, others, before } = await projected()
    const [first, ...later] = others
    if (first === undefined) throw new TypeError('more facts were expected')
    // The query writes pending entries before it reads.
    other.failWrites('INSERT', 'entity_logs')
    applyAll(projections, [first])
    expect(projections.checkpoint.position).toBeGreaterThan(before)
    expect(() => projections.answer('profile', { externalId: 'ada' })).toThrow('no room')
    other.heal()
    expect(() => projections.apply(later)).toThrow('no room')
    expect(() => projections.answer('entities', { limit: 1 })).toThrow('no room')
    projections.reopen()
    expect(projections.checkpoint.position).toBe(before)
    applyAll(projections, others)
    const { value } = await projections.answer('profile', { externalId: 'ada' })
    expect(value).toMatchObject({ eventCount: 3 })
  })

  it('do not combine pieces of an answer from before and after the rollback', async () => {
    const { projections, other, others } = await projected(0)
    const [first, second] = others
    if (first === undefined || second === undefined) throw new TypeError('facts were expected')
    other.failWrites('UPDATE', 'checkpoint', `NEW.position > ${String(first.position)}`)
    applyAll(projections, [first])
    const answer = Promise.resolve(
      projections.answer('profileAt', { externalId: 'ada', asOf: Date.now() + 60_000 }),
    )
    const ending = answer.then(
      () => 'answered',
      () => 'refused',
    )
    expect(() => {
      applyAll(projections, [second])
    }).toThrow('no room')
    expect(await ending).toBe('refused')
  })
})

it('reopening a read model keeps the locks of a reader in the process', async () => {
  const { projections, other } = await projected()
  projections.reopen()
  // A process that could lock the file would assume that it is alone, and would remove the WAL.
  const locking = spawnSync(process.execPath, [locker, other.path], { encoding: 'utf8' })
  expect(locking.stderr).toContain('database is locked')
})

describe('a file whose copy of the WAL was interrupted', () => {
  it('is complete if the WAL has the pages that the file lacks', async () => {
    const { projections, other, others } = await projected()
    applyAll(projections, others)
    await other.committed(projections.checkpoint.position)
    const whole = placeOf(other.path)
    const db = openDatabase(whole)
    db.exec('CREATE TABLE more AS SELECT randomblob(100000) AS bytes')
    const [cut, shorter] = [placeOf(whole), placeOf(whole)]
    db.exec('PRAGMA wal_checkpoint(PASSIVE)')
    const firstPage = readFileSync(whole).subarray(0, 4_096)
    db.close()
    const file = openSync(cut, 'r+')
    writeSync(file, firstPage, 0, firstPage.length, 0)
    closeSync(file)
    expect(statSync(cut).size).toBeLessThan(firstPage.readUInt32BE(28) * 4_096)
    const dropped: string[] = []
    const again = projectionsAt(cut, dropped)
    expect(dropped).toEqual([])
    expect(again.checkpoint).toEqual(projections.checkpoint)
    again.close()
    truncateSync(shorter, 4_096 * 3)
    projectionsAt(shorter, dropped).close()
    expect(dropped).toHaveLength(1)
  })
})

/** Copies a file and its WAL. */
function placeOf(path: string): string {
  const copy = join(folder(), 'read-model.db')
  for (const ending of ['', '-wal']) copyFileSync(`${path}${ending}`, `${copy}${ending}`)
  return copy
}
