import { describe, expect, it } from '@jest/globals'
import { Lanes } from '../../../src/application/webhooks/lanes.js'

function lanesOf(...facts: readonly (readonly [type: string, entityId?: string])[]): Lanes {
  const lanes = new Lanes()
  for (const [index, [type, entityId]] of facts.entries()) {
    const position = index + 1
    const fact = { position, id: `id-${String(position)}`, type }
    lanes.add(entityId === undefined ? fact : { ...fact, entityId })
  }
  return lanes
}

/** Takes everything that can be sent now. */
function takeAll(lanes: Lanes, now = 0) {
  const taken: NonNullable<ReturnType<Lanes['take']>>[] = []
  for (let next = lanes.take(now); next !== undefined; next = lanes.take(now)) taken.push(next)
  return taken
}

const positions = (taken: ReturnType<typeof takeAll>) => taken.map(({ item }) => item.fact.position)
const event = (entity: string) => ['EventRecorded', entity] as const

describe('lanes', () => {
  it('send one fact of each entity at a time, in the order of the log', () => {
    const lanes = lanesOf(event('a'), event('b'), event('a'), event('b'), event('a'))
    const [a, b] = takeAll(lanes)
    expect([a?.item.fact.position, b?.item.fact.position]).toEqual([1, 2])
    if (a === undefined) throw new Error('nothing was taken')
    lanes.finish(a.lane, a.item)
    expect(positions(takeAll(lanes))).toEqual([3])
  })

  it('report the last fact up to which all are done', () => {
    const lanes = lanesOf(event('a'), event('b'), event('c'))
    const [a, b, c] = takeAll(lanes)
    if (a === undefined || b === undefined || c === undefined) throw new Error('not taken')
    expect(lanes.finish(c.lane, c.item)).toBeUndefined()
    expect(lanes.finish(b.lane, b.item)).toBeUndefined()
    expect(lanes.finish(a.lane, a.item)?.position).toBe(3)
    expect(lanes.size).toBe(0)
  })

  it('hold a delayed fact and the later facts of its entity, and no other', () => {
    const lanes = lanesOf(event('a'), event('a'), event('b'))
    const [a] = takeAll(lanes)
    if (a === undefined) throw new Error('not taken')
    lanes.delay(a.lane, 10)
    expect([positions(takeAll(lanes, 9)), lanes.nextDue(9)]).toEqual([[], 10])
    expect(positions(takeAll(lanes, 10))).toEqual([1])
  })

  it.each(['SegmentDefined', 'SegmentBuilt', 'SegmentRetired'])(
    'send a %s alone: after all earlier facts and before all later facts',
    (type) => {
      const lanes = lanesOf(event('a'), event('b'), [type], event('c'))
      const before = takeAll(lanes)
      expect(positions(before)).toEqual([1, 2])
      for (const { lane, item } of before) {
        expect(takeAll(lanes)).toEqual([])
        lanes.finish(lane, item)
      }
      const [barrier, ...others] = takeAll(lanes)
      expect([barrier?.item.fact.type, others]).toEqual([type, []])
      if (barrier === undefined) throw new Error('not taken')
      lanes.finish(barrier.lane, barrier.item)
      expect(positions(takeAll(lanes))).toEqual([4])
    },
  )

  it('know since when an entity fails, until its fact is done', () => {
    const lanes = lanesOf(event('a'), event('b'))
    const [a, b] = takeAll(lanes)
    if (a === undefined || b === undefined) throw new Error('not taken')
    b.lane.failedSince = '2026-11-20T09:30:00.000Z'
    a.lane.failedSince = '2026-11-20T09:31:00.000Z'
    expect(lanes.failingSince).toBe('2026-11-20T09:30:00.000Z')
    lanes.finish(b.lane, b.item)
    expect(lanes.failingSince).toBe('2026-11-20T09:31:00.000Z')
  })
})
