import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { refusedWith } from '../../support/webhooks/delivery-bench.js'
import { receiverUrl, SenderBench } from '../../support/webhooks/sender-bench.js'
import { settle } from '../../support/webhooks/until.js'

let bench: SenderBench

beforeEach(() => {
  bench = new SenderBench()
})
afterEach(() => bench.close())

const create = (...externalIds: readonly string[]) =>
  Promise.all(externalIds.map((externalId) => bench.facts.create(externalId)))

describe('a process whose read model lags', () => {
  beforeEach(() => bench.define())

  it('keeps the claim for 60 seconds of lag, and then releases it to another process', async () => {
    const lagging = bench.start()
    await bench.pass(2)
    expect(lagging.sender.status.isSender).toBe(true)
    bench.facts.model.hold()
    await create('ada')
    await bench.pass(60)
    expect(lagging.sender.status.isSender).toBe(true)
    await bench.pass(2)
    expect(lagging.sender.status.isSender).toBe(false)
    expect(bench.recorded.at(-1)?.state).toBe('released')
    expect(lagging.sent).toEqual([])
  })

  it('claims again once it has caught up, and leaves nothing out', async () => {
    const lagging = bench.start()
    bench.facts.model.hold()
    await create('ada')
    await bench.pass(70)
    bench.facts.model.catchUp()
    await bench.pass(3)
    expect(lagging.sent).toHaveLength(1)
  })

  it('never claims while the read model is rebuilt', async () => {
    bench.facts.model.beginBuilding()
    await create('ada')
    const building = bench.start()
    await bench.pass(300)
    expect([building.sent, bench.recorded]).toEqual([[], []])
    bench.facts.model.endBuilding()
    await bench.pass(3)
    expect(building.sent).toHaveLength(1)
  })
})

describe('a process over a restored store', () => {
  it('sends nothing before the erasures of the ledger are made, not even a claim', async () => {
    await bench.define()
    await create('ada')
    const restored = bench.start({ hasLedgerCaughtUp: false })
    await bench.pass(300)
    expect([restored.sent, bench.recorded]).toEqual([[], []])
    restored.hasLedgerCaughtUp = true
    await bench.pass(2)
    expect(restored.sent).toHaveLength(1)
  })
})

describe('two processes over one store', () => {
  it('send each fact once: one of the processes sends for both', async () => {
    await bench.define()
    await create('ada', 'eve')
    const both = [bench.start(), bench.start()]
    await bench.pass(120)
    await create('bob')
    await bench.pass(2)
    expect(both.map(({ sent }) => sent.length).toSorted()).toEqual([0, 3])
    expect(both.filter(({ sender }) => sender.status.isSender)).toHaveLength(1)
  })

  it('hand the claim over at a clean stop, within three seconds and without a repeat', async () => {
    await bench.define()
    await create('ada')
    const first = bench.start()
    await bench.pass(2)
    const second = bench.start()
    await bench.pass(2)
    await first.sender.stop()
    await create('eve')
    await bench.pass(3)
    expect([first.sent.length, second.sent.length]).toEqual([1, 1])
    expect(second.sent).not.toEqual(first.sent)
  })

  it('replace a killed sender 150 seconds after its last progress fact, and repeat what it had sent since', async () => {
    await bench.define()
    const first = bench.start()
    await bench.pass(2)
    const second = bench.start()
    await bench.pass(2)
    await create('ada')
    await settle()
    first.kill()
    await create('eve')
    await bench.pass(143)
    expect(second.sent).toEqual([])
    await bench.pass(10)
    expect([first.sent.length, second.sent.length]).toEqual([1, 2])
    expect(second.sent).toContain(first.sent[0])
  })
})

describe('a process that is killed again and again', () => {
  it('delivers everything, although each process lives for 20 seconds', async () => {
    await bench.define()
    bench.answer = undefined
    const names = Array.from({ length: 40 }, (_, at) => `e${String(at)}`)
    await create(...names)
    const sent = new Set<string>()
    for (let restarts = 0; restarts < 6; restarts += 1) {
      const process = bench.start({ isShared: false })
      // The receiver takes one fact every 2 seconds.
      for (let at = 0; at < 10; at += 1) {
        await bench.pass(2)
        process.acceptOne()
      }
      for (const id of process.sent) sent.add(id)
      process.kill()
    }
    expect(sent.size).toBe(40)
  })
})

describe('a sender whose store cannot be written', () => {
  it('stops sending 90 seconds after its last progress fact, and continues after the outage', async () => {
    await bench.define()
    const process = bench.start()
    await bench.pass(2)
    process.hasStoreOutage = true
    await bench.pass(80)
    await create('ada')
    await bench.pass(1)
    expect(process.sent).toHaveLength(1)
    await bench.pass(10)
    await create('eve')
    await bench.pass(200)
    expect(process.sent).toHaveLength(1)
    process.hasStoreOutage = false
    await bench.pass(5)
    expect(new Set(process.sent).size).toBe(2)
    const [line, ...others] = process.log.lines
    expect([line?.level, others]).toEqual(['warn', []])
  })
})

describe('a sender', () => {
  it('follows definitions within two rounds, and forgets the progress of a removed webhook', async () => {
    await bench.define('mail')
    const process = bench.start({ isShared: false })
    await create('ada')
    await bench.pass(2)
    expect(process.sent).toHaveLength(1)
    await bench.define('other')
    await bench.pass(2)
    expect(process.sent).toHaveLength(2)
    await bench.remove('other')
    await bench.pass(2)
    await create('eve')
    await bench.pass(2)
    expect(process.sent).toHaveLength(3)
    await bench.define('other')
    await bench.pass(2)
    expect(process.sent).toHaveLength(5)
  })

  it('pauses a webhook whose receiver is gone, and logs that once without the URL', async () => {
    bench.answer = refusedWith(410)
    await bench.define()
    await create('ada', 'eve')
    const process = bench.start({ isShared: false })
    await bench.pass(120)
    expect(process.sender.status.webhooks).toEqual({ active: 0, failing: 0, paused: 1 })
    expect(process.log.lines.map(({ level }) => level)).toEqual(['warn'])
    expect(JSON.stringify(process.log.lines)).not.toContain(new URL(receiverUrl).pathname)
    expect(process.sent).toHaveLength(2)
  })

  it('logs nothing about a receiver that fails, and retries it', async () => {
    bench.answer = refusedWith(500)
    await bench.define()
    await create('ada')
    const process = bench.start({ isShared: false })
    await bench.pass(10)
    expect(process.sender.status.webhooks.failing).toBe(1)
    expect(process.sent.length).toBeGreaterThan(2)
    expect(new Set(process.sent).size).toBe(1)
    expect(process.log.lines).toEqual([])
  })
})
