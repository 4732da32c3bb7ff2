import { beforeEach, describe, expect, it } from '@jest/globals'
import { Refusal } from '../../../src/application/ports/refusal.js'
import type { ReadModel } from '../../../src/application/reading/ports/read-model.js'
import { WebhookPages } from '../../../src/application/webhooks/webhook-pages.js'
import { DeliveryBench } from '../../support/webhooks/delivery-bench.js'

let bench: DeliveryBench
let queries: unknown[]
let pages: WebhookPages

beforeEach(async () => {
  bench = new DeliveryBench()
  queries = []
  const query: ReadModel['query'] = (name, asked, want) => {
    queries.push(asked)
    return bench.model.query(name, asked, want)
  }
  pages = new WebhookPages({ query })
  await bench.create('ada')
  for (const name of ['login', 'purchase', 'logout']) await bench.record('ada', name)
})

const login = { events: ['login'] }
const loginOrPurchase = { events: ['login', 'purchase'] }

describe('the pages of webhooks', () => {
  it('come from one query for all webhooks at a position, and each webhook gets the facts of its filter', async () => {
    const [first, second, third] = await Promise.all([
      pages.after(0, login),
      pages.after(0, loginOrPurchase),
      pages.after(0, { events: ['none'] }),
    ])
    expect(first.facts).toMatchObject([{ position: 2, type: 'EventRecorded' }])
    expect(second.facts).toMatchObject([{ position: 2 }, { position: 3 }])
    expect(third.facts).toEqual([])
    for (const { reached } of [first, second, third]) expect(reached.position).toBe(4)
    expect(queries).toHaveLength(1)
  })

  it('come from another query for a webhook at another position', async () => {
    const [behind, ahead] = await Promise.all([
      pages.after(0, loginOrPurchase),
      pages.after(2, loginOrPurchase),
    ])
    expect(behind.facts).toMatchObject([{ position: 2 }, { position: 3 }])
    expect(ahead.facts).toMatchObject([{ position: 3 }])
  })

  it('come from a new query after a refused one', async () => {
    let isRefusing = true
    const query: ReadModel['query'] = (name, asked, want) =>
      isRefusing
        ? Promise.reject(new Refusal('read_model_behind'))
        : bench.model.query(name, asked, want)
    const shared = new WebhookPages({ query })
    const both = await Promise.allSettled([shared.after(0, login), shared.after(0, {})])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isRefusing = false
    expect((await shared.after(0, login)).facts).toHaveLength(1)
  })
})
