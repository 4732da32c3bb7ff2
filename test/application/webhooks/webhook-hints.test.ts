import { beforeEach, describe, expect, it } from '@jest/globals'
import { hintsFor } from '../../../src/application/webhooks/webhook-hints.js'
import { DeliveryBench } from '../../support/webhooks/delivery-bench.js'

let bench: DeliveryBench

beforeEach(async () => {
  bench = new DeliveryBench()
  await bench.create('ada')
})

const record = async (...names: readonly string[]) => {
  for (const name of names) await bench.record('ada', name)
}

describe('a hint about an event that was not recorded lately', () => {
  it('names the event that the name misspells', async () => {
    await record('login', 'purchase')
    expect(await hintsFor(bench, { events: ['purchse', 'login'] })).toEqual([
      'No event among the latest 2000 facts is called "purchse". Did you mean "purchase"?',
    ])
  })

  it('lists the five most frequent names when none is similar', async () => {
    await record('login', 'visit', 'purchase', 'refund', 'purchase', 'search', 'wish', 'login')
    await record('purchase')
    expect(await hintsFor(bench, { events: ['buy'] })).toEqual([
      'No event among the latest 2000 facts is called "buy". The most frequent names: "purchase", "login", "refund", "search", "visit".',
    ])
  })

  it('lists nothing when no event was recorded', async () => {
    expect(await hintsFor(bench, { events: ['buy'] })).toEqual([
      'No event among the latest 2000 facts is called "buy".',
    ])
  })
})

describe('a hint about a segment that does not exist', () => {
  it('lists the first segments when none has a similar key', async () => {
    bench.model.planned = { segments: () => [{ key: 'win-back' }] as never }
    expect(await hintsFor(bench, { segments: ['lost'] })).toEqual([
      'No segment is called "lost". The first segments: "win-back".',
    ])
  })
})
