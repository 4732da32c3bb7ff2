import { afterEach, expect, it } from '@jest/globals'
import { clockStream, membersStream } from '../../src/domain/segments/segment-facts.js'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import { nextLook } from '../support/next-look.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const apiKey = 'one-key-for-all-requests'
const sender = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
const clockAhead = new URL('../support/clock-ahead.js', import.meta.url).href
const windowMs = 60_000
const leavesInMs = 4_000

let store: EventStoreDouble
afterEach(() => store.close())

function started(env: Readonly<Record<string, string>> = {}): Promise<StartedService> {
  const { connectionString: url } = store
  return StartedService.start(folder(), {
    STORE_URL: url,
    READ_MODEL: 'memory:',
    API_KEY: apiKey,
    ...env,
  })
}

async function put(service: StartedService, path: string, body: object): Promise<number> {
  const sent = { method: 'PUT', headers: sender, body: JSON.stringify(body) }
  return (await fetch(`${service.origin}${path}`, sent)).status
}

/** Returns the segment's members at the log time of the process. */
async function recentAt(service: StartedService) {
  const reply = await fetch(`${service.origin}/segments/recent`, { headers: sender })
  const { data } = (await reply.json()) as { readonly data?: { readonly members: number } }
  return { logTime: Date.parse(reply.headers.get('log-time') ?? ''), members: data?.members }
}

it('a process whose clock is ahead refuses writes, and does not move log time', async () => {
  store = await EventStoreDouble.start()
  const right = await started()
  const rule = { event: 'login', within: '1m' }
  expect(await put(right, '/segments/recent', { title: 'Recent', kind: 'rule', rule })).toBe(201)
  const ahead = await started({
    NODE_OPTIONS: `--import=${clockAhead}`,
    CLOCK_AHEAD_MS: '10000',
  })
  expect((await right.createEntity('ada', sender)).status).toBe(201)
  // The double's clock determines log time and is correct, like the clock of this test.
  const leavesAt = Date.now() + leavesInMs
  const occurredAt = new Date(leavesAt - windowMs).toISOString()
  const login = { entity_external_id: 'ada', name: 'login', occurred_at: occurredAt }
  const refused = await ahead.post('/events', login, sender)
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({ error: { code: 'clock_untrusted' } })
  expect((await right.post('/events', login, sender)).status).toBe(201)

  const left = () => store.records(membersStream('recent')).find(isLeaving)
  let looks = 0
  while (left() === undefined) {
    const { logTime, members } = await recentAt(ahead)
    if (logTime < leavesAt && members === 1) looks += 1
    expect(logTime >= leavesAt && members === 1).toBe(false)
    await nextLook()
  }
  // The process knew the entity as a member, and did not let it leave too early.
  expect(looks).toBeGreaterThan(0)
  expect(JSON.parse(Buffer.from(left()?.data ?? '').toString())).toMatchObject({
    at: new Date(leavesAt).toISOString(),
    cause: { kind: 'time' },
  })
  const ticks = store.records(clockStream)
  expect(ticks.length).toBeGreaterThan(0)
  for (const { data, created } of ticks) {
    const { now } = JSON.parse(Buffer.from(data).toString()) as { readonly now: string }
    expect(Date.parse(now)).toBeLessThanOrEqual(Number(created / 10_000n))
  }
  await Promise.all([right.end(), ahead.end()])
})

function isLeaving({ type }: { readonly type: string }): boolean {
  return type === 'EntityLeftSegment'
}
