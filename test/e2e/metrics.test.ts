import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { parse } from 'yaml'
import { z } from 'zod'
import { faultCodes } from '../../src/adapters/http/errors/faults.js'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import { thoroughly } from '../support/thoroughness.js'
import { metricsIn, samplesIn } from '../support/prometheus-text.js'
import { sharedService } from '../support/shared-service.js'
import { StartedService } from '../support/started-service.js'
import { holdFlushes } from '../support/hold-flushes.js'
import { itWithStrace } from '../support/strace.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const plain = sharedService({ READ_MODEL: 'data/read-model.db' })
const apiKey = 'a-second-key-0123456789'
/** A service in memory. Each API key may send one request per second. */
const limited = sharedService({
  STORE_URL: 'memory:',
  READ_MODEL: 'memory:',
  RATE_LIMIT: '1',
  API_KEY: apiKey,
})
const services: StartedService[] = []
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.end()))
})

async function start(env: Readonly<Record<string, string>> = {}): Promise<StartedService> {
  const service = await StartedService.start(folder(), env)
  services.push(service)
  return service
}

async function textOf(service: StartedService): Promise<string> {
  return (await fetch(`${service.origin}/metrics`)).text()
}

/** Returns the metrics that grew while `act` ran, without those of the scrapes themselves. */
async function growthOf(service: StartedService, act: () => Promise<unknown>) {
  const before = samplesIn(await textOf(service))
  await act()
  const after = samplesIn(await textOf(service))
  const counted = /^dossier_.*(_total|_count|_facts_sum|_facts_bucket.*)(\{.*\})?$/
  const grown = [...after].flatMap(([name, value]) => {
    const more = value - (before.get(name) ?? 0)
    return more === 0 || !counted.test(name) || name.includes('/metrics') ? [] : [[name, more]]
  })
  return Object.fromEntries(grown) as Record<string, number>
}

function read(service: StartedService, path: string, headers: Readonly<Record<string, string>>) {
  const authorization = `Bearer ${service.key}`
  return fetch(`${service.origin}${path}`, { headers: { authorization, ...headers } })
}

const event = (id: string) => ({ entity_external_id: id, name: 'login' })

describe('the metrics of a service', () => {
  it('grow exactly as requests are sent', async () => {
    const service = plain()
    const first = await fetch(`${service.origin}/metrics`)
    expect(first.status).toBe(200)
    expect(first.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(first.headers.get('request-id')).not.toBeNull()
    // Reads the long answer to its end. Otherwise its open connection would keep this process alive.
    await first.text()
    const requests = 'dossier_http_requests_total'
    const grown = await growthOf(service, async () => {
      await service.createEntity('ada')
      await service.post('/events', event('ada'), { 'idempotency-key': 'k' })
      await service.post('/events', event('ada'), { 'idempotency-key': 'k' })
      await service.post('/events', event('ada'))
      await service.post('/events', event('nobody'))
      await service.post('/events', {})
      await service.createEntity('ada')
      await service.post('/events', event('ada'), { authorization: 'Bearer unknown' })
      await fetch(`${service.origin}/a/path/of-a-client`)
      await fetch(`${service.origin}/events?of-a-client`)
    })
    expect(grown).toEqual({
      [`${requests}{method="POST",route="/entities",status="201"}`]: 1,
      [`${requests}{method="POST",route="/entities",status="409"}`]: 1,
      [`${requests}{method="POST",route="/events",status="201"}`]: 3,
      [`${requests}{method="POST",route="/events",status="401"}`]: 1,
      [`${requests}{method="POST",route="/events",status="404"}`]: 1,
      [`${requests}{method="POST",route="/events",status="422"}`]: 1,
      [`${requests}{method="none",route="none",status="404"}`]: 1,
      [`${requests}{method="none",route="none",status="405"}`]: 1,
      'dossier_http_request_duration_seconds_count{method="POST",route="/entities"}': 2,
      'dossier_http_request_duration_seconds_count{method="POST",route="/events"}': 6,
      'dossier_http_request_duration_seconds_count{method="none",route="none"}': 2,
      'dossier_http_faults_total{code="entity_exists"}': 1,
      'dossier_http_faults_total{code="entity_not_found"}': 1,
      'dossier_http_faults_total{code="method_not_allowed"}': 1,
      'dossier_http_faults_total{code="route_not_found"}': 1,
      'dossier_http_faults_total{code="unauthenticated"}': 1,
      'dossier_http_faults_total{code="validation_failed"}': 1,
      'dossier_appends_total{outcome="stored"}': 3,
      'dossier_appends_total{outcome="replayed"}': 1,
      'dossier_appends_total{outcome="stream_exists"}': 1,
      'dossier_appends_total{outcome="stream_missing"}': 1,
      dossier_append_duration_seconds_count: 6,
      dossier_commit_duration_seconds_count: 6,
      dossier_commit_facts_count: 3,
      dossier_commit_facts_sum: 3,
      ...Object.fromEntries(
        ['1', '2', '4', '8', '16', '32', '64', '128', '256', '512', '1024', '+Inf'].map((le) => [
          `dossier_commit_facts_bucket{le="${le}"}`,
          3,
        ]),
      ),
    })
    const text = await textOf(service)
    expect(samplesIn(text).get('dossier_appends_in_flight')).toBe(0)
    expect(samplesIn(text).get('dossier_writer_queue_appends')).toBe(0)
    expect(text).not.toMatch(/of-a-client|ada|nobody/)
  })

  it('show the progress of the read model, and the open streams', async () => {
    const service = plain()
    const written = await service.createEntity('one-who-is-read')
    const position = written.headers.get('position') ?? ''
    const profile = await read(service, '/entities/one-who-is-read', { position })
    expect(profile.status).toBe(200)
    const feed = await read(service, '/facts', { accept: 'text/event-stream', position })
    const frames = feed.body?.getReader()
    await frames?.read()
    const shown = samplesIn(await textOf(service))
    expect(shown.get('dossier_read_model_position')).toBeGreaterThanOrEqual(Number(position))
    expect(shown.get('dossier_read_model_lag_positions')).toBe(0)
    expect(shown.get('dossier_read_model_lag_seconds')).toBe(0)
    expect(shown.get('dossier_read_model_building')).toBe(0)
    expect(shown.get('dossier_read_model_stalled')).toBe(0)
    expect(shown.get('dossier_read_model_builds_total')).toBe(1)
    expect(shown.get('dossier_read_duration_seconds_count{query="profile"}')).toBe(1)
    expect(shown.get('dossier_read_model_log_time_seconds')).toBeGreaterThan(1_700_000_000)
    expect(shown.get('dossier_feed_readers')).toBe(1)
    await frames?.cancel()
    let readers: number | undefined
    do readers = samplesIn(await textOf(service)).get('dossier_feed_readers')
    while (readers !== 0)
  })

  thoroughly(itWithStrace)(
    'tell what the disk did not answer in time, and what still waits for it',
    async () => {
      const service = await start({ STORE_TIMEOUT_MS: '700' })
      await service.createEntity('ada')
      const hold = await holdFlushes(service.pid)
      const grown = await growthOf(service, async () => {
        const replies = await Promise.all(
          [1, 2, 3].map(() => service.post('/events', event('ada'))),
        )
        expect(replies.map(({ status }) => status)).toEqual([504, 504, 504])
      })
      expect(grown).toEqual({
        'dossier_http_requests_total{method="POST",route="/events",status="504"}': 3,
        'dossier_http_request_duration_seconds_count{method="POST",route="/events"}': 3,
        'dossier_http_faults_total{code="outcome_unknown"}': 3,
        'dossier_appends_total{outcome="outcome_unknown"}': 3,
        dossier_append_duration_seconds_count: 3,
      })
      const held = samplesIn(await textOf(service))
      expect(held.get('dossier_appends_in_flight')).toBe(0)
      expect(held.get('dossier_writer_queue_appends')).toBe(3)
      await hold.release()
      let waiting: number | undefined
      do waiting = samplesIn(await textOf(service)).get('dossier_writer_queue_appends')
      while (waiting !== 0)
    },
    60_000,
  )
})

describe('a rate limit', () => {
  it('limits a key that sends too many requests, and no other key', async () => {
    const service = limited()
    const body = event('ada')
    const other = { authorization: `Bearer ${apiKey}` }
    const refused: Response[] = []
    while (refused.length === 0) {
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => service.post('/events', body, other)),
      )
      refused.push(...replies.filter(({ status }) => status === 429))
    }
    for (const reply of refused) {
      expect(reply.headers.get('retry-after')).toBe('1')
      expect(await reply.json()).toMatchObject({ error: { code: 'rate_limited' } })
    }
    const counted = samplesIn(await textOf(service)).get(
      'dossier_http_faults_total{code="rate_limited"}',
    )
    expect(counted).toBe(refused.length)
  })
})

/** Returns the metrics with EventStoreDB, because some exist only there. */
async function textOverEventStoreDb(): Promise<string> {
  const double = await EventStoreDouble.start()
  const service = await start({ STORE_URL: double.connectionString })
  const text = await textOf(service)
  await service.end()
  await double.close()
  return text
}

const page = readFileSync('docs/metrics.md', 'utf8')
const rulesForm = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.object({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.object({ summary: z.string() }),
        }),
      ),
    }),
  ),
})

describe('the documentation of the metrics', () => {
  let shown: ReadonlyMap<string, string>
  let labels: ReadonlyMap<string, ReadonlySet<string>>
  beforeAll(async () => {
    const service = plain()
    const position = (await service.createEntity('of-the-documents')).headers.get('position')
    await read(service, '/entities/of-the-documents', { position: position ?? '' })
    await textOf(service)
    // A service without metrics of an embedded store, but with a read model.
    const inMemory = await textOf(limited())
    const texts = [await textOf(service), inMemory, await textOverEventStoreDb()]
    shown = new Map(texts.flatMap((text) => [...metricsIn(text)]))
    const found = new Map<string, Set<string>>()
    for (const sample of texts.flatMap((text) => [...samplesIn(text).keys()])) {
      const [name = '', list = ''] = sample.split('{')
      const metric = shown.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
      const known = found.get(metric) ?? new Set()
      for (const [, label = ''] of list.matchAll(/([a-z_]+)="/g))
        if (label !== 'le') known.add(label)
      found.set(metric, known)
    }
    labels = found
  })

  it('lists all metrics with their types and labels, and no others', () => {
    const rows = [...page.matchAll(/^\| `([a-z_0-9]+)` *\| (\w+) *\| ([^|]*?) *\|/gm)]
    const written = rows.map(([, name = '', type, list = '']) => [
      name,
      type,
      [...list.matchAll(/`(\w+)`/g)].map(([, label]) => label).sort(),
    ])
    const real = [...shown].map(([name, type]) => [
      name,
      type,
      // A histogram with labels that has counted nothing yet has no visible labels.
      labels.has(name)
        ? [...(labels.get(name) ?? [])].sort()
        : written.find(([one]) => one === name)?.[2],
    ])
    expect(written.sort()).toEqual(real.sort())
  })

  it('has alerts for existing metrics only', () => {
    const [, yaml = ''] = /```yaml\n(groups:.*?)```/s.exec(page) ?? []
    const { groups } = rulesForm.parse(parse(yaml))
    const rules = groups.flatMap((group) => group.rules)
    expect(rules.length).toBeGreaterThan(5)
    for (const { alert, expr } of rules) {
      const names = [...expr.matchAll(/\b(?:dossier|process|nodejs)_[a-z0-9_]+/g)].map(
        ([name]) => name,
      )
      expect([alert, names.length > 0 || expr.startsWith('up')]).toEqual([alert, true])
      for (const name of names) {
        const metric = shown.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
        expect([alert, [...shown.keys()]]).toEqual([alert, expect.arrayContaining([metric])])
      }
      const codes = [...expr.matchAll(/code=~?"([^"]+)"/g)].flatMap(([, list = '']) =>
        list.split('|'),
      )
      for (const code of codes) expect(faultCodes).toContain(code)
    }
  })
})
