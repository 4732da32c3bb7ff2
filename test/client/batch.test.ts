import { afterEach, describe, expect, it, jest } from '@jest/globals'
import type { BatchItem, BatchResult, DossierError } from '../../src/client/dossier.js'
import {
  broken,
  fault,
  faultBody,
  ScriptedService,
  silent,
  success,
  type Received,
  type Step,
} from './scripted-service.js'

function event(entity: string, n: number, idempotency_key?: string): BatchItem {
  const item = {
    op: 'record_event',
    entity_external_id: entity,
    name: 'e',
    properties: { n },
  } as const
  return idempotency_key === undefined ? item : { ...item, idempotency_key }
}

interface SentItem {
  readonly idempotency_key: string
  readonly entity_external_id: string
  readonly properties: { readonly n: number }
}

function itemsIn({ body }: Received): readonly SentItem[] {
  return (body as { items: readonly SentItem[] }).items
}

type Verdict = 200 | 201 | 404 | 429 | 500 | 503 | 504
const codes = {
  404: 'entity_not_found',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'store_unavailable',
  504: 'outcome_unknown',
}

function resultOf(verdict: Verdict, item: SentItem) {
  if (verdict < 300) {
    return { status: verdict, data: item.properties, position: '5', replayed: false }
  }
  return { status: verdict, error: faultBody(codes[verdict as keyof typeof codes]) }
}

/** Replies to each item with its scripted outcome, or with 201. */
function judged(
  verdictOf: (item: SentItem) => Verdict | undefined = () => 201,
  headers: Readonly<Record<string, string>> = {},
): Step {
  return (response, request) => {
    const results = itemsIn(request).map((item) => resultOf(verdictOf(item) ?? 201, item))
    const isWhole = results.every(({ status }) => status < 300)
    return success({ results, counts: {} }, headers, isWhole ? 200 : 207)(response, request)
  }
}

async function all(results: AsyncIterable<BatchResult>): Promise<readonly BatchResult[]> {
  const list: BatchResult[] = []
  for await (const result of results) list.push(result)
  return list
}

const numbersOf = (results: readonly BatchResult[]) =>
  results.map(({ item }) => (item.op === 'record_event' ? item.properties?.['n'] : undefined))

function* events(count: number, entities = count): Generator<BatchItem> {
  for (let n = 0; n < count; n += 1) yield event(`e${String(n % entities)}`, n)
}

describe('a request of a batch', () => {
  it('has at most 1,000 items, each with its own key, and yields a result per item in order', async () => {
    const service = await ScriptedService.start(judged())
    const results = await all(service.client().batch(events(2_500)))
    expect(service.received.map((request) => itemsIn(request).length)).toEqual([1_000, 1_000, 500])
    expect(numbersOf(results)).toEqual(Array.from({ length: 2_500 }, (_, n) => n))
    const keys = service.received.flatMap((one) => itemsIn(one).map((item) => item.idempotency_key))
    expect(new Set(keys).size).toBe(2_500)
    expect(results[7]).toMatchObject({
      status: 201,
      data: { n: 7 },
      position: '5',
      replayed: false,
    })
  })

  it('contains given JSON text unchanged, which is the item of the result', async () => {
    const bodies: unknown[] = []
    const service = await ScriptedService.start(async (response, request) => {
      bodies.push(request.body)
      await judged(({ properties }) => (properties.n === 2 ? 404 : 201))(response, request)
    })
    const items = [1, 2].map((n) => ({
      json: ` {"idempotency_key":"k${String(n)}", "properties":{"n":${String(n)}}} `,
      entity: 'ada',
    }))
    const results: unknown[] = []
    for await (const { item, error } of service.client().batchJson(items)) {
      results.push([item, error?.code])
    }
    expect(results).toEqual([
      [items[0]?.json, undefined],
      [items[1]?.json, 'entity_not_found'],
    ])
    expect(bodies).toEqual([{ items: items.map(({ json }): unknown => JSON.parse(json)) }])
  })

  it('has at most the number of items that the caller sets', async () => {
    const service = await ScriptedService.start(judged())
    await all(service.client().batch(events(7), { maxItems: 3 }))
    expect(service.received.map((request) => itemsIn(request).length)).toEqual([3, 3, 1])
  })

  it('has at most 4 MiB, and a larger item is sent alone', async () => {
    const lengths: number[] = []
    const service = await ScriptedService.start((response, request) => {
      lengths.push(Number(request.headers['content-length']))
      return judged()(response, request)
    })
    const large = (mebibytes: number, n: number): BatchItem => ({
      op: 'record_event',
      entity_external_id: `e${String(n)}`,
      name: 'e',
      // Each character has two bytes in UTF-8.
      properties: { n, text: 'é'.repeat((mebibytes * 1_048_576) / 2) },
    })
    const items = [large(1.5, 0), large(1.5, 1), large(1.5, 2), large(5, 3), large(0.5, 4)]
    const results = await all(service.client().batch(items))
    expect(numbersOf(results)).toEqual([0, 1, 2, 3, 4])
    const sent = service.received.map((request) =>
      itemsIn(request).map(({ properties }) => properties.n),
    )
    expect(sent.sort()).toEqual([[0, 1], [2], [3], [4]])
    expect(lengths.filter((bytes) => bytes > 4_194_304)).toHaveLength(1)
  })

  it('may have exactly 4 MiB', async () => {
    const lengths: number[] = []
    const service = await ScriptedService.start((response, request) => {
      lengths.push(Number(request.headers['content-length']))
      return judged()(response, request)
    })
    const named = (n: number, bytes: number): BatchItem => ({
      op: 'record_event',
      entity_external_id: 'a',
      name: 'e'.repeat(bytes),
      properties: { n },
      idempotency_key: `k${String(n)}`,
    })
    const first = named(1, 1_048_576)
    const room = 4_194_304 - Buffer.byteLength(JSON.stringify({ items: [first, named(2, 0)] }))
    await all(service.client().batch([first, named(2, room)]))
    expect(lengths).toEqual([4_194_304])
    await all(service.client().batch([first, named(2, room + 1)]))
    expect(lengths).toHaveLength(3)
  })

  it('is sent when the source has no more items for now, so that a source can wait for results', async () => {
    const service = await ScriptedService.start(judged())
    let told: (() => void) | undefined
    const waiting: (() => void)[] = []
    async function* source(): AsyncGenerator<BatchItem> {
      for (let n = 0; n < 3; n += 1) {
        yield event('ada', n)
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
          told?.()
        })
      }
    }
    const seen: unknown[] = []
    for await (const { item } of service.client().batch(source())) {
      seen.push(item)
      if (waiting.length === 0) await new Promise<void>((resolve) => (told = resolve))
      waiting.pop()?.()
    }
    expect(seen).toHaveLength(3)
    expect(service.received).toHaveLength(3)
  })
})

describe('the running requests of a batch', () => {
  it('are limited, and the source is not read while the caller takes no results', async () => {
    let underWay = 0
    let most = 0
    const service = await ScriptedService.start(async (response, request) => {
      underWay += 1
      most = Math.max(most, underWay)
      await new Promise((resolve) => setImmediate(resolve))
      underWay -= 1
      await judged()(response, request)
    })
    let read = 0
    function* source() {
      for (const item of events(8_000)) {
        read += 1
        yield item
      }
    }
    const results = service.client().batch(source(), { concurrency: 3 })
    await results.next()
    expect(read).toBeLessThanOrEqual(4_000)
    await all(results)
    expect(read).toBe(8_000)
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(3)
  })

  it('never contain items of one entity in two requests at once', async () => {
    const open = new Set<string>()
    const arrived: number[] = []
    let overlaps = 0
    const service = await ScriptedService.start(async (response, request) => {
      const items = itemsIn(request)
      const entities = new Set(items.map((item) => item.entity_external_id))
      for (const entity of entities) {
        if (open.has(entity)) overlaps += 1
        open.add(entity)
      }
      arrived.push(...items.map(({ properties }) => properties.n))
      await new Promise((resolve) => setImmediate(resolve))
      for (const entity of entities) open.delete(entity)
      await judged()(response, request)
    })
    await all(service.client().batch(events(5_000, 700)))
    expect(overlaps).toBe(0)
    const ofOne = arrived.filter((n) => n % 700 === 13)
    expect(ofOne).toEqual([...ofOne].sort((left, right) => left - right))
  })

  it('end when the caller leaves the loop, and the source is closed', async () => {
    const service = await ScriptedService.start(judged(), silent)
    let ended = false
    function* source() {
      try {
        yield* events(1_000_000)
      } finally {
        ended = true
      }
    }
    for await (const result of service.client().batch(source())) {
      expect(result.error).toBeUndefined()
      break
    }
    expect(ended).toBe(true)
  })

  it('end with the reason of the signal', async () => {
    const reason = new Error('enough')
    const stop = new AbortController()
    const service = await ScriptedService.start(() => {
      stop.abort(reason)
    })
    await expect(all(service.client().batch(events(10), { signal: stop.signal }))).rejects.toBe(
      reason,
    )
    const before = service.client().batch(events(10), { signal: AbortSignal.abort(reason) })
    await expect(all(before)).rejects.toBe(reason)
  })

  it('yield their results before the error of the source', async () => {
    const service = await ScriptedService.start(judged())
    const reason = new Error('no file')
    function* source() {
      yield* events(3)
      throw reason
    }
    const results = service.client().batch(source())
    const seen: BatchResult[] = []
    const loop = async () => {
      for await (const result of results) seen.push(result)
    }
    await expect(loop()).rejects.toBe(reason)
    expect(seen).toHaveLength(3)
  })
})

describe('a retry of a batch', () => {
  afterEach(() => {
    jest.restoreAllMocks()
  })

  it('contains only the items that can be retried, with their keys and in order', async () => {
    const first: Readonly<Record<number, Verdict>> = { 1: 504, 2: 503, 3: 404, 4: 500, 5: 429 }
    const service = await ScriptedService.start(
      judged(({ properties }) => first[properties.n], { 'retry-after': '0' }),
      judged(),
    )
    const told: string[] = []
    const onRetry = (error: DossierError) => told.push(error.code)
    const results = await all(service.client({ onRetry }).batch(events(7)))
    expect(told).toEqual(['outcome_unknown'])
    const [before, again] = service.received.map(itemsIn)
    expect(again?.map(({ properties }) => properties.n)).toEqual([1, 2, 5])
    for (const item of again ?? []) expect(before).toContainEqual(item)
    expect(results.map((one) => one.error?.code)).toEqual([
      ...[undefined, undefined, undefined, 'entity_not_found', 'internal_error', undefined],
      undefined,
    ])
    expect(results.map((one) => one.error?.stored)).toEqual([
      ...[undefined, undefined, undefined, 'no', 'unknown', undefined, undefined],
    ])
  })

  it('is the whole request when there was no reply', async () => {
    const service = await ScriptedService.start(broken, fault(503, 'overloaded'), judged())
    const results = await all(service.client().batch(events(3)))
    expect(service.received).toHaveLength(3)
    expect(service.received[2]?.body).toEqual(service.received[0]?.body)
    expect(results.every(({ error }) => error === undefined)).toBe(true)
  })

  it('is not made after the most retries, and `stored` is unknown if one attempt may be stored', async () => {
    const service = await ScriptedService.start(
      judged(({ properties }) => (properties.n === 0 ? 504 : 503)),
      judged(() => 503),
    )
    const results = await all(service.client().batch(events(2), { maxRetries: 1 }))
    expect(results.map((one) => one.error?.code)).toEqual([
      'store_unavailable',
      'store_unavailable',
    ])
    expect(results.map((one) => one.error?.stored)).toEqual(['unknown', 'no'])
  })

  it('is not made when the pause before it takes longer than the remaining time', async () => {
    const service = await ScriptedService.start(judged(() => 503))
    const onRetry = () => {
      jest.spyOn(performance, 'now').mockReturnValue(Infinity)
    }
    const results = await all(service.client({ onRetry }).batch(events(2)))
    expect(results.map((one) => one.error?.code)).toEqual([
      'store_unavailable',
      'store_unavailable',
    ])
    expect(service.received).toHaveLength(1)
  })

  it('is not made after the time limit', async () => {
    const service = await ScriptedService.start(judged(() => 503, { 'retry-after': '60' }))
    const results = await all(service.client().batch(events(2)))
    expect(results.map((one) => one.error?.code)).toEqual([
      'store_unavailable',
      'store_unavailable',
    ])
    expect(service.received).toHaveLength(1)
  })

  it('is never overtaken: after an item is given up, later items of its entity are not sent', async () => {
    const service = await ScriptedService.start(
      judged(({ entity_external_id: id }) => (id === 'e0' ? 503 : 201)),
    )
    const results = await all(
      service.client().batch(events(2_000, 2), { maxRetries: 1, concurrency: 2 }),
    )
    const sent = new Set(
      service.received.flatMap((one) => itemsIn(one).map(({ properties }) => properties.n)),
    )
    const verdicts = results.map(({ error }) => error?.code)
    expect(verdicts.slice(0, 2)).toEqual(['store_unavailable', undefined])
    expect(verdicts.slice(1_000, 1_002)).toEqual(['not_sent', undefined])
    expect(sent.has(1_000)).toBe(false)
    expect(sent.has(1_001)).toBe(true)
    expect(results[1_000]?.error?.stored).toBe('no')
  })

  it('is not made when the whole request is refused: each item gets the fault', async () => {
    const service = await ScriptedService.start(fault(403, 'forbidden'))
    const results = await all(service.client().batch(events(2)))
    expect(results.map((one) => [one.error?.code, one.error?.stored])).toEqual([
      ['forbidden', 'no'],
      ['forbidden', 'no'],
    ])
    expect(service.received).toHaveLength(1)
  })

  it('does not lose the Position of the batch, which later reads carry', async () => {
    const service = await ScriptedService.start(judged(undefined, { position: '77' }))
    const dossier = service.client()
    await all(dossier.batch(events(1)))
    expect(dossier.position).toBe('77')
  })
})

describe('replacing members', () => {
  it('removes and adds only the differing members, by a batch with a reason', async () => {
    const members = ['ada', 'bob', 'eve'].map((external_id) => ({ external_id }))
    const service = await ScriptedService.start(
      success({ items: members.slice(0, 2), next_cursor: 'c' }),
      success({ items: members.slice(2), next_cursor: null }),
      (response, request) => {
        const { items } = request.body as { items: readonly { external_id: string }[] }
        const results = items.map(({ external_id: id }) =>
          id === 'nobody'
            ? { status: 404, error: faultBody('entity_not_found') }
            : { status: 200, data: {}, position: '1', replayed: false },
        )
        return success({ results, counts: {} }, {}, 207)(response, request)
      },
    )
    const replaced = await service
      .client()
      .segments.replaceMembers('friends', ['bob', 'lin', 'nobody', 'lin'], { reason: 'fair' })
    expect(service.received[2]?.body).toMatchObject({
      items: [
        { op: 'remove_from_segment', segment: 'friends', external_id: 'ada', reason: 'fair' },
        { op: 'remove_from_segment', segment: 'friends', external_id: 'eve', reason: 'fair' },
        { op: 'add_to_segment', segment: 'friends', external_id: 'lin', reason: 'fair' },
        { op: 'add_to_segment', segment: 'friends', external_id: 'nobody', reason: 'fair' },
      ],
    })
    expect(replaced).toMatchObject({ added: 1, removed: 2, unchanged: 1 })
    expect(replaced.refused).toMatchObject([
      { item: { external_id: 'nobody' }, error: { code: 'entity_not_found', stored: 'no' } },
    ])
  })
})
