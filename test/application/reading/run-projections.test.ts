import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { SqliteProjections } from '../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { pause } from '../../../src/adapters/system/clock-and-ids.js'
import { RunningProjections } from '../../../src/application/reading/run-projections.js'
import { LogLines } from '../../support/log-lines.js'
import { storedEntity } from '../../support/stored-entity.js'
import { storedFact } from '../../support/stored-facts.js'
import { TroubledLog } from '../../support/troubled-log.js'

const opened: RunningProjections[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

function running() {
  const store = new MemoryEventStore()
  const facts = new TroubledLog(store)
  const lines = new LogLines()
  const projections = SqliteProjections.open({
    path: 'memory:',
    factsFile: undefined,
    onDropped: () => undefined,
    onDiverged: () => undefined,
  })
  const model = new RunningProjections(facts, projections, { log: lines, gatherMs: 0, pause })
  opened.push(model)
  model.start()
  const write = async (externalId: string) => {
    let position = ''
    for (const append of storedEntity(externalId, 3)) ({ position } = await store.append(append))
    return Number(position)
  }
  const profile = (externalId: string, position?: number | 'head', waitMs = 20_000) =>
    model.query(
      'profile',
      { externalId },
      position === undefined ? { waitMs } : { position, waitMs },
    )
  return { store, facts, lines, model, write, profile }
}

describe('an answer', () => {
  it('includes the requested position and reports its own position', async () => {
    const { write, profile } = running()
    const position = await write('ada')
    const { value, position: known } = await profile('ada', position)
    expect(value?.eventCount).toBe(3)
    expect(known).toBe(position)
  })

  it('includes all facts in the store when the head is requested', async () => {
    const { write, profile } = running()
    await write('ada')
    const position = await write('bob')
    expect((await profile('bob', 'head')).position).toBe(position)
  })

  it('includes the applied facts when no position is requested', async () => {
    const { write, profile, facts } = running()
    await profile('ada', 'head')
    facts.hold()
    await write('ada')
    expect(await profile('ada')).toEqual({ value: undefined, position: 0, logTime: 0 })
  })

  it('is refused when the position is not applied in time', async () => {
    const { write, profile, facts } = running()
    await profile('ada', 'head')
    facts.hold()
    const position = await write('ada')
    await expect(profile('ada', position, 150)).rejects.toMatchObject({ code: 'read_model_behind' })
    await expect(profile('ada', 'head', 150)).rejects.toMatchObject({ code: 'read_model_behind' })
    facts.release()
    expect((await profile('ada', position)).position).toBe(position)
  })

  it('is refused with position_unknown when the position is beyond the end during the whole wait', async () => {
    const { write, profile } = running()
    const position = await write('ada')
    await expect(profile('ada', position + 1, 150)).rejects.toMatchObject({
      code: 'position_unknown',
    })
  })

  it('waits for a position that the store reaches during the wait', async () => {
    const { write, profile } = running()
    const position = await write('ada')
    const waiting = profile('bob', position + 5)
    await write('bob')
    expect((await waiting).value?.externalId).toBe('bob')
  })

  it('includes a position of another program once the last fact before it is applied', async () => {
    const { write, profile, facts } = running()
    facts.foreign = 10
    const position = await write('ada')
    expect((await profile('ada', position + 10)).position).toBe(position)
    await expect(profile('ada', position + 11, 150)).rejects.toMatchObject({
      code: 'position_unknown',
    })
  })

  it('is refused, but not with position_unknown, while the head of the store is unknown', async () => {
    const { write, profile, facts } = running()
    const position = await write('ada')
    await profile('ada', position)
    facts.isAway = true
    await expect(profile('ada', position + 1, 150)).rejects.toMatchObject({
      code: 'read_model_behind',
    })
    await expect(profile('ada', 'head', 150)).rejects.toMatchObject({ code: 'read_model_behind' })
    expect((await profile('ada', position)).value?.externalId).toBe('ada')
  })

  it('needs one request to the store at a time, however many queries wait', async () => {
    const { write, profile, facts } = running()
    const position = await write('ada')
    await profile('ada', position)
    const before = facts.asked
    const waiting = Array.from({ length: 50 }, () => profile('ada', position + 1, 250))
    await Promise.allSettled(waiting)
    expect(facts.asked - before).toBeLessThan(50)
  })
})

describe('a store that becomes unavailable', () => {
  it('is followed again after the last applied fact', async () => {
    const { write, profile, facts, lines, model } = running()
    await profile('ada', await write('ada'))
    facts.isAway = true
    const position = await write('bob')
    await new Promise<void>((resolve) => {
      const stop = model.watch(() => {
        if (model.status.trouble === undefined) return
        stop()
        resolve()
      })
    })
    facts.isAway = false
    expect((await profile('bob', position)).value?.eventCount).toBe(3)
    expect((await profile('ada')).value?.eventCount).toBe(3)
    expect(model.status).toMatchObject({ trouble: undefined, isBuilding: false, builds: 1 })
    expect(lines.lines.map(({ level }) => level)).toContain('warn')
  })

  it('is compared with the read model before queries are answered', async () => {
    const store = new MemoryEventStore()
    const facts = new TroubledLog(store)
    facts.isAway = true
    const projections = SqliteProjections.open({
      path: 'memory:',
      factsFile: undefined,
      onDropped: () => undefined,
      onDiverged: () => undefined,
    })
    const options = { log: new LogLines(), gatherMs: 0, pause }
    const model = new RunningProjections(facts, projections, options)
    opened.push(model)
    model.start()
    const asked = model.query('profile', { externalId: 'ada' }, { waitMs: 50 })
    await expect(asked).rejects.toMatchObject({ code: 'read_model_behind' })
    expect(model.status.isBuilding).toBe(true)
  })
})

describe('a fact that cannot be read', () => {
  it('stops the read model at that fact, and stops no write', async () => {
    const { store, write, profile, model, lines } = running()
    const position = await write('ada')
    await profile('ada', position)
    const broken = { ...storedFact(), data: '{"name":7}' }
    await store.append({ stream: 'entity-ada', expected: 'existing', facts: [broken] })
    const beyond = await write('bob')
    await expect(profile('bob', beyond, 300)).rejects.toMatchObject({ code: 'read_model_behind' })
    expect((await profile('ada', position)).position).toBe(position)
    expect(model.status.trouble).toMatch(broken.id)
    expect(model.status.builds).toBe(1)
    expect(JSON.stringify(lines.lines)).toContain(broken.id)
  })
})

describe('projections that fail', () => {
  it('are reopened and continue from their stored state, wherever the failure happened', async () => {
    const store = new MemoryEventStore()
    const kept = SqliteProjections.open({
      path: 'memory:',
      factsFile: undefined,
      onDropped: () => undefined,
      onDiverged: () => undefined,
    })
    const options = { log: new LogLines(), gatherMs: 0, pause }
    const model = new RunningProjections(store, kept, options)
    opened.push(model)
    model.start()
    const ask = async (externalId: string, position: number) =>
      (await model.query('profile', { externalId }, { position, waitMs: 20_000 })).value?.eventCount
    const write = async (externalId: string) => {
      let position = ''
      for (const append of storedEntity(externalId, 3)) ({ position } = await store.append(append))
      return Number(position)
    }
    const before = await write('ada')
    expect(await ask('ada', before)).toBe(3)
    const failure = new Error('the disk gave nonsense')
    jest.spyOn(kept, 'answer').mockImplementationOnce(() => Promise.reject(failure))
    await expect(ask('ada', before)).rejects.toMatchObject({ code: 'read_model_behind' })
    const after = await write('bob')
    expect(await ask('bob', after)).toBe(3)
    expect(await ask('ada', after)).toBe(3)
    expect(model.status.builds).toBe(2)
  })
})
