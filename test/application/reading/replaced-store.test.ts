import { afterEach, describe, expect, it } from '@jest/globals'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { SqliteProjections } from '../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { RunningProjections } from '../../../src/application/reading/run-projections.js'
import { LogLines } from '../../support/log-lines.js'
import { storedEntity } from '../../support/stored-entity.js'
import { TroubledLog } from '../../support/troubled-log.js'

const opened: RunningProjections[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

async function storeOf(...externalIds: readonly string[]): Promise<MemoryEventStore> {
  const store = new MemoryEventStore()
  for (const externalId of externalIds) {
    for (const append of storedEntity(externalId, 0)) await store.append(append)
  }
  return store
}

/** Returns a service that has applied the four facts of two entities. Its pauses take no time. */
async function service() {
  const log = new TroubledLog(await storeOf('ada', 'bob'))
  const projections = SqliteProjections.open({
    path: 'memory:',
    factsFile: undefined,
    onDropped: () => undefined,
    onDiverged: () => undefined,
  })
  const lines = new LogLines()
  /** The pauses before further attempts to follow the log, in milliseconds. */
  const pauses: number[] = []
  const pause = (milliseconds: number) => {
    if (milliseconds > 0) pauses.push(milliseconds)
    return new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
  }
  const model = new RunningProjections(log, projections, { log: lines, gatherMs: 0, pause })
  opened.push(model)
  model.start()
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (isSo()) resolve()
        else setImmediate(look)
      }
      look()
    })
  const profile = (externalId: string, position?: number | 'head') =>
    model.query('profile', { externalId }, { position, waitMs: 0 })
  await until(() => model.status.applied.position === 4)
  pauses.length = 0
  const rebuilds = () =>
    lines.lines.filter(({ message }) => message === 'the read model is rebuilt')
  return { log, model, pauses, until, profile, rebuilds }
}

const sum = (numbers: readonly number[]) => numbers.reduce((left, right) => left + right, 0)

describe('a store that was replaced while it was unavailable', () => {
  it.each([
    ['an empty store', []],
    ['an older state of the same store', ['ada']],
  ])('is accepted as %s after two seconds of such replies', async (_, externalIds) => {
    const { log, model, pauses, until, profile, rebuilds } = await service()
    log.isAway = true
    log.cutOff()
    await until(() => pauses.length === 20)
    // The store is unavailable for one more pause from here on.
    log.store = await storeOf(...externalIds)
    log.isAway = false
    const before = pauses.length
    await until(() => model.status.builds === 2 && !model.status.isBuilding)
    const spent = pauses.slice(before)
    expect(spent.length).toBeGreaterThanOrEqual(4)
    expect(sum(spent)).toBeGreaterThanOrEqual(2_000)
    expect(sum(spent) + Number(pauses[before - 1])).toBeLessThanOrEqual(3_000)
    expect((await profile('bob')).value).toBeUndefined()
    expect(rebuilds().map(({ details }) => details)).toEqual([
      { reason: 'the store was restored or replaced' },
    ])
  })

  it('is recognised at once when it has another fact at the checkpoint', async () => {
    const { log, model, pauses, until, profile } = await service()
    log.isAway = true
    log.cutOff()
    await until(() => pauses.length === 20)
    log.store = await storeOf('eve', 'mallory', 'trent')
    log.isAway = false
    const before = pauses.length
    await until(() => model.status.builds === 2 && !model.status.isBuilding)
    expect(sum(pauses.slice(before - 1))).toBeLessThanOrEqual(1_000)
    expect((await profile('trent', 'head')).value?.externalId).toBe('trent')
  })
})

describe('a store whose head is before the applied position', () => {
  it('makes queries for the head fail with read_model_behind, and queries beyond it with position_unknown', async () => {
    const { log, profile } = await service()
    log.store = await storeOf('ada')
    await expect(profile('ada', 'head')).rejects.toMatchObject({ code: 'read_model_behind' })
    await expect(profile('bob', 4)).rejects.toMatchObject({ code: 'position_unknown' })
    await expect(profile('bob')).rejects.toMatchObject({ code: 'read_model_behind' })
  })

  it('is followed without a rebuild when its head returns', async () => {
    const { log, model, until, profile } = await service()
    const { store } = log
    log.store = await storeOf('ada')
    await expect(profile('ada', 'head')).rejects.toMatchObject({ code: 'read_model_behind' })
    log.store = store
    await until(() => !model.status.isBuilding)
    expect((await profile('bob', 'head')).value?.externalId).toBe('bob')
    for (const append of storedEntity('eve', 0)) await store.append(append)
    await until(() => model.status.applied.position === 6)
    expect(model.status.builds).toBe(1)
  })
})
