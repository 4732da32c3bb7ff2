import { afterEach, describe, expect, it } from '@jest/globals'
import { StoreClient } from '../../../src/adapters/eventstoredb/client/store-client.js'
import { systemClock } from '../../../src/adapters/system/clock-and-ids.js'
import { ClockGuard } from '../../../src/application/recording/clock-guard.js'
import { LogLines } from '../../support/log-lines.js'
import { ManualPause } from '../../support/manual-pause.js'
import { creation } from '../../support/stored-facts.js'
import { bench, clusterUrl, lead, longTimeoutMs, urlOf } from './open-store.js'
import { nextLook } from '../../support/next-look.js'

const { start, open } = bench()

const guards: ClockGuard[] = []
afterEach(async () => {
  await Promise.all(guards.splice(0).map((guard) => guard.stop()))
})

async function guarded(url: string) {
  const pauses = new ManualPause()
  const log = new LogLines()
  const store = open(url)
  const guard = new ClockGuard(store, { clock: systemClock, log, pause: pauses.pause })
  guards.push(guard)
  await guard.start()
  const compare = async () => {
    await pauses.pass()
    return guard.isTrusted
  }
  return { guard, store, log, compare }
}

describe('the date of a reply', () => {
  it('has whole seconds, and is at most two seconds old', async () => {
    const double = await start()
    const store = open(double.connectionString)
    const before = Date.now()
    const date = await store.dateOfReply()
    expect(date % 1_000).toBe(0)
    expect(date).toBeGreaterThan(before - 2_000)
    expect(date).toBeLessThanOrEqual(Date.now())
    double.bendClock(3_600_000)
    expect(await store.dateOfReply()).toBeGreaterThan(Date.now() + 3_590_000)
  })

  it('is missing while a server is away or refuses, and returns with it', async () => {
    const double = await start()
    const store = open(double.connectionString)
    await store.dateOfReply()
    double.faults.refuse('server-not-ready', { rpc: 'features' }, 'beforeRead')
    await expect(store.dateOfReply()).rejects.toThrow('Not Ready')
    await double.refuseConnections()
    await expect(store.dateOfReply()).rejects.toThrow()
    await double.listen()
    let date: number | undefined
    while (date === undefined) {
      await nextLook()
      date = await store.dateOfReply().catch(() => undefined)
    }
    expect(await store.append(creation('entity-a'))).toMatchObject({ replayed: false })
  })

  it('is awaited for at most a second, and then requested over another connection', async () => {
    const double = await start()
    const store = open(double.connectionString)
    double.faults.hold('beforeRead', { rpc: 'features' })
    await expect(store.dateOfReply()).rejects.toThrow(/no answer in time|deadline.exceeded/i)
    expect(await store.dateOfReply()).toBeGreaterThan(0)
  })

  it('comes from the leader', async () => {
    const [one, other] = [await start(), await start()]
    other.bendClock(86_400_000)
    lead(other, one, other)
    const client = new StoreClient(urlOf(clusterUrl(one, other)))
    expect(await client.usable.replyDate(longTimeoutMs)).toBeGreaterThan(Date.now() + 86_000_000)
    await client.close()
  })

  it('is missing for a closed store', async () => {
    const store = open((await start()).connectionString)
    await store.close()
    await expect(store.dateOfReply()).rejects.toThrow('the store is closed')
  })
})

describe('the clock of a server', () => {
  it('that jumps ends the trust at the next reply, and three good replies restore it', async () => {
    const double = await start()
    const { guard, compare, log } = await guarded(double.connectionString)
    expect(guard.isTrusted).toBe(true)
    for (const aheadMs of [6_000, -6_000]) {
      double.bendClock(aheadMs)
      expect(await compare()).toBe(false)
      double.bendClock(0)
      expect([await compare(), await compare()]).toEqual([false, false])
      expect(await compare()).toBe(true)
    }
    expect(log.lines.map(({ level }) => level)).toEqual(['error', 'info', 'error', 'info'])
  })

  it.each([2_900, -2_900])('that differs by %i ms has no effect', async (aheadMs) => {
    const double = await start()
    double.bendClock(aheadMs)
    const { guard, compare } = await guarded(double.connectionString)
    expect(guard.isTrusted).toBe(true)
    for (let n = 0; n < 5; n += 1) expect(await compare()).toBe(true)
  })

  it('that is missing has no effect, before a comparison and after one', async () => {
    const double = await start()
    await double.refuseConnections()
    const { guard, compare, log } = await guarded(double.connectionString)
    expect([guard.isTrusted, await compare(), log.lines]).toEqual([true, true, []])
    double.bendClock(60_000)
    await double.listen()
    while (await compare()) await nextLook()
    await double.refuseConnections()
    for (let n = 0; n < 4; n += 1) expect(await compare()).toBe(false)
    double.bendClock(0)
    await double.listen()
    while (!(await compare())) await nextLook()
    expect(log.lines).toHaveLength(2)
  })
})
