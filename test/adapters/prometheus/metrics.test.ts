import { beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Metrics } from '../../../src/adapters/prometheus/metrics.js'
import type { EventStore } from '../../../src/application/recording/ports/event-store.js'
import { Refusal, WrongRevision } from '../../../src/application/ports/refusal.js'
import { metricsIn, samplesIn } from '../../support/prometheus-text.js'

const receipt = { position: '1', facts: [], replayed: false }

let metrics: Metrics
beforeEach(() => {
  metrics = new Metrics({ version: '1.2.3', faultCodes: ['gone', 'lost'], maxInFlight: 9 })
})

async function samplesOf(name: string): Promise<Record<string, number>> {
  const samples = [...samplesIn(await metrics.text())]
  return Object.fromEntries(samples.filter(([sample]) => sample.startsWith(name)))
}

test('the text is of the kind that it says', async () => {
  expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect([...metricsIn(await metrics.text()).keys()]).toContain('process_cpu_seconds_total')
})

test('CPU and memory of the process are read at each scrape', async () => {
  const of = async (name: string) => (await samplesOf(name))[name] ?? 0
  expect(await of('nodejs_heap_size_used_bytes')).toBeGreaterThan(0)
  const first = await of('nodejs_eventloop_active_seconds_total')
  expect(await of('nodejs_eventloop_active_seconds_total')).toBeGreaterThan(first)
  expect(await of('process_cpu_seconds_total')).toBeGreaterThan(0)
  const { rss, heapUsed } = process.memoryUsage()
  expect(await of('process_resident_memory_bytes')).toBeGreaterThan(rss / 10)
  expect(await of('nodejs_heap_size_used_bytes')).toBeGreaterThan(heapUsed / 10)
  expect(await of('nodejs_external_memory_bytes')).toBeGreaterThan(0)
  const startedAt = (await of('process_start_time_seconds')) * 1_000
  expect(Math.abs(startedAt - performance.timeOrigin)).toBeLessThan(1_000)
})

test('the version and the limit are told', async () => {
  expect(await samplesOf('dossier_build_info')).toEqual({
    'dossier_build_info{version="1.2.3"}': 1,
  })
  expect(await samplesOf('dossier_appends_in_flight_limit')).toEqual({
    dossier_appends_in_flight_limit: 9,
  })
})

describe('requests', () => {
  test('are counted by method, route and status', async () => {
    metrics.requests.route('GET', '/never')
    const [a, b] = [metrics.requests.route('POST', '/a'), metrics.requests.route('POST', '/a')]
    a(201, 0.0005)
    b(201, 0.3)
    b(404, 11)
    for (const scrape of [1, 2]) {
      expect([scrape, await samplesOf('dossier_http_requests_total')]).toEqual([
        scrape,
        {
          'dossier_http_requests_total{method="POST",route="/a",status="201"}': 2,
          'dossier_http_requests_total{method="POST",route="/a",status="404"}': 1,
        },
      ])
    }
  })

  test('are counted by how long they took, each bucket with those below it', async () => {
    const told = metrics.requests.route('POST', '/a')
    for (const seconds of [0.0005, 0.00051, 0.3, 10, 11]) told(201, seconds)
    const name = 'dossier_http_request_duration_seconds'
    const samples = await samplesOf(name)
    const upTo = (le: string) => samples[`${name}_bucket{le="${le}",method="POST",route="/a"}`]
    expect(['0.0005', '0.001', '0.25', '0.5', '5', '10', '+Inf'].map(upTo)).toEqual([
      1, 2, 2, 3, 3, 4, 5,
    ])
    expect(samples[`${name}_count{method="POST",route="/a"}`]).toBe(5)
    expect(samples[`${name}_sum{method="POST",route="/a"}`]).toBeCloseTo(21.30101, 9)
  })
})

test('searches are counted by their outcome, from nought on', async () => {
  const searches = metrics.searches()
  searches.ended('timeout')
  searches.ended('timeout')
  searches.ended('complete')
  expect(await samplesOf('dossier_searches_total')).toEqual({
    'dossier_searches_total{outcome="complete"}': 1,
    'dossier_searches_total{outcome="limit"}': 0,
    'dossier_searches_total{outcome="timeout"}': 2,
    'dossier_searches_total{outcome="cancelled"}': 0,
    'dossier_searches_total{outcome="failed"}': 0,
  })
})

test('faults are counted by their code, from nought on', async () => {
  metrics.requests.fault('lost')
  metrics.requests.fault('lost')
  expect(await samplesOf('dossier_http_faults_total')).toEqual({
    'dossier_http_faults_total{code="gone"}': 0,
    'dossier_http_faults_total{code="lost"}': 2,
  })
})

describe('appends', () => {
  const endings: readonly (readonly [string, () => ReturnType<EventStore['append']>])[] = [
    ['stored', () => Promise.resolve(receipt)],
    ['replayed', () => Promise.resolve({ ...receipt, replayed: true })],
    ['stream_exists', () => Promise.reject(new Refusal('stream_exists', 'x'))],
    ['stream_removed', () => Promise.reject(new Refusal('stream_removed', 'x'))],
    ['stream_missing', () => Promise.reject(new Refusal('stream_missing', 'x'))],
    ['not_stored', () => Promise.reject(new Refusal('not_stored', 'x'))],
    ['append_too_large', () => Promise.reject(new Refusal('append_too_large', 'x'))],
    ['store_unavailable', () => Promise.reject(new Refusal('store_unavailable', 'x'))],
    ['overloaded', () => Promise.reject(new Refusal('overloaded', 'x'))],
    ['outcome_unknown', () => Promise.reject(new Refusal('outcome_unknown', 'x'))],
    ['failed', () => Promise.reject(new Error('x'))],
    [
      'failed',
      () => {
        throw new TypeError('x')
      },
    ],
  ]

  test.each(endings)('that end as %s are counted so', async (outcome, end) => {
    const before = await samplesOf('dossier_appends_total')
    const settled = await Promise.allSettled([metrics.appends.count(end)])
    const plain = await Promise.allSettled([Promise.resolve().then(end)])
    expect(settled).toEqual(plain)
    expect(await samplesOf('dossier_appends_total')).toEqual({
      ...before,
      [`dossier_appends_total{outcome="${outcome}"}`]: 1,
    })
    expect(Object.values(before).every((count) => count === 0)).toBe(true)
    expect(await samplesOf('dossier_appends_in_flight')).toMatchObject({
      dossier_appends_in_flight: 0,
    })
  })

  test('at exact revisions are counted with them', async () => {
    const stored = { position: '7', revision: 5 }
    expect(await metrics.appends.count(() => Promise.resolve(stored))).toBe(stored)
    expect(metrics.appends.newestPosition).toBe(7)
    const wrong = new WrongRevision(9)
    await expect(metrics.appends.count(() => Promise.reject(wrong))).rejects.toBe(wrong)
    expect(await samplesOf('dossier_appends_total')).toMatchObject({
      'dossier_appends_total{outcome="stored"}': 1,
      'dossier_appends_total{outcome="wrong_revision"}': 1,
    })
  })

  test('are in flight until the store says how they end, and their time is taken', async () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(1_000)
    const release: (() => void)[] = []
    const append = () =>
      metrics.appends.count(
        () =>
          new Promise<typeof receipt>((resolve) => {
            release.push(() => {
              resolve(receipt)
            })
          }),
      )
    const under = [append(), append()]
    const inFlight = async () =>
      (await samplesOf('dossier_appends_in_flight'))['dossier_appends_in_flight']
    expect(await inFlight()).toBe(2)
    now.mockReturnValue(1_250)
    for (const one of release) one()
    await Promise.all(under)
    now.mockRestore()
    expect(await inFlight()).toBe(0)
    expect(await samplesOf('dossier_append_duration_seconds')).toMatchObject({
      dossier_append_duration_seconds_sum: 0.5,
      dossier_append_duration_seconds_count: 2,
      'dossier_append_duration_seconds_bucket{le="0.1"}': 0,
      'dossier_append_duration_seconds_bucket{le="0.25"}': 2,
    })
  })
})

describe('commits', () => {
  test('are not told of a store that makes none', async () => {
    expect(await samplesOf('dossier_commit')).toEqual({})
    expect(await samplesOf('dossier_checkpoint')).toEqual({})
  })

  test('are counted by their size and how long they took; so are checkpoints', async () => {
    const commits = metrics.commits()
    commits.tried(3, 0.002)
    commits.tried(1_024, 0.5)
    commits.checkpointed(4_120, 0.25)
    expect(await samplesOf('dossier_commit')).toMatchObject({
      'dossier_commit_facts_bucket{le="2"}': 0,
      'dossier_commit_facts_bucket{le="4"}': 1,
      'dossier_commit_facts_bucket{le="1024"}': 2,
      dossier_commit_facts_sum: 1_027,
      dossier_commit_duration_seconds_sum: 0.502,
      dossier_commit_duration_seconds_count: 2,
    })
    expect(await samplesOf('dossier_checkpoint')).toMatchObject({
      dossier_checkpoint_duration_seconds_sum: 0.25,
      dossier_checkpoint_log_bytes: 4_120,
    })
  })

  test('checkpoints that failed are counted, from nought on', async () => {
    const commits = metrics.commits()
    const name = 'dossier_checkpoint_failures_total'
    expect(await samplesOf(name)).toEqual({ [name]: 0 })
    commits.checkpointsFailed(2)
    commits.checkpointsFailed(1)
    expect(await samplesOf(name)).toEqual({ [name]: 3 })
    expect(await samplesOf(name)).toEqual({ [name]: 3 })
  })

  test('that stored nothing have a duration and no size', async () => {
    const commits = metrics.commits()
    commits.tried(0, 2)
    commits.tried(5, 0.5)
    expect(await samplesOf('dossier_commit')).toMatchObject({
      dossier_commit_facts_count: 1,
      'dossier_commit_facts_bucket{le="1"}': 0,
      dossier_commit_duration_seconds_sum: 2.5,
      dossier_commit_duration_seconds_count: 2,
    })
  })
})

test('a gauge is read at each scrape', async () => {
  let waiting = 4
  metrics.series.gauge('dossier_waiting', 'Those who wait.', () => waiting)
  expect(await samplesOf('dossier_waiting')).toEqual({ dossier_waiting: 4 })
  waiting = 5
  expect(await samplesOf('dossier_waiting')).toEqual({ dossier_waiting: 5 })
})
