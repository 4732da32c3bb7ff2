import { join } from 'node:path'
import { afterEach, expect, it } from '@jest/globals'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import { nextLook } from '../support/next-look.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'
import { startProgram, type Program } from '../examples/online-retail/program.js'

const makeFolder = temporaryFolders()
const cleanUp: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const clean of cleanUp.splice(0).toReversed()) await clean()
})

interface Segment {
  readonly version: number
  readonly status: string
  readonly digest: string | null
  readonly members: number
}

/** The service, and a mirror of its segment `buyers`. */
class Mirrored {
  private readonly database = join(makeFolder(), 'mirror.db')

  constructor(readonly service: StartedService) {}

  async get<T>(path: string): Promise<T> {
    const headers = { authorization: `Bearer ${this.service.key}` }
    const reply = await fetch(this.service.origin + path, { headers })
    return ((await reply.json()) as { readonly data: T }).data
  }

  async define(within: string): Promise<void> {
    const rule = { event: 'buy', within }
    const reply = await fetch(`${this.service.origin}/segments/buyers`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${this.service.key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ title: `Bought within ${within}`, kind: 'rule', rule }),
    })
    expect([200, 201]).toContain(reply.status)
  }

  async buy(customer: string, secondsAgo = 0): Promise<void> {
    const occurred = new Date(Date.now() - secondsAgo * 1_000).toISOString()
    const event = { entity_external_id: customer, name: 'buy', occurred_at: occurred }
    expect((await this.service.post('/events', event)).status).toBe(201)
  }

  /** The segment, once it is as wanted. */
  async segment(isWanted: (segment: Segment) => boolean): Promise<Segment> {
    for (;;) {
      const segment = await this.get<Segment>('/segments/buyers')
      if (segment.status === 'live' && isWanted(segment)) return segment
      await nextLook()
    }
  }

  start(args: readonly string[] = []): Program {
    const of = ['--segment', 'buyers', '--service', this.service.origin]
    const all = [...of, '--database', this.database, '--compare', '1', ...args]
    const env = { DOSSIER_KEY: this.service.key }
    const program = startProgram('.build/examples/subscriber/mirror/main.js', all, env)
    cleanUp.push(() => {
      program.child.kill('SIGKILL')
      return program.ended
    })
    return program
  }

  /** What the mirror has is what the service says. */
  async compare(): Promise<number> {
    const { out } = await this.start(['--report']).ended
    const rows = out.split('\n').map((line) => line.split('\t'))
    const columns = (kind: string, column: number) =>
      rows.filter((row) => row[0] === kind).map((row) => row[column])
    const { items } = await this.get<{ items: readonly { entity_id: string }[] }>(
      '/segments/buyers/members',
    )
    const members = items.map(({ entity_id: id }) => id)
    expect(columns('member', 1)).toEqual(members.toSorted())
    const published = await this.published('EntityEnteredSegment', rows[1]?.[3])
    expect(columns('entered', 3)).toEqual(published)
    return published.length
  }

  /** The ids of the facts of a type, in their order. */
  async published(type: string, after = 'start'): Promise<readonly string[]> {
    const path = `/facts?limit=1000&types=${type}&after=${after}`
    const { items } = await this.get<{ items: readonly { id: string }[] }>(path)
    return items.map(({ id }) => id)
  }
}

async function stopped(program: Program): Promise<void> {
  program.child.kill('SIGTERM')
  expect(await program.ended).toMatchObject({ code: 0, err: '' })
}

it('a mirror of a segment of the service, killed meanwhile, has its members and who entered', async () => {
  const service = await StartedService.start(makeFolder(), { READ_MODEL: 'data/read-model.db' })
  const mirrored = new Mirrored(service)
  for (const customer of ['ada', 'bob', 'eve', 'joe']) await service.createEntity(customer)
  await mirrored.buy('ada')
  await mirrored.define('1m')
  const first = mirrored.start()
  await first.lineWith('equal, 1 members')
  await mirrored.buy('bob')
  await first.lineWith('equal, 2 members')
  await mirrored.buy('joe', 55)
  first.child.kill('SIGKILL')
  await first.ended
  // Time takes him out again.
  while ((await mirrored.published('EntityLeftSegment')).length === 0) await nextLook()

  const second = mirrored.start()
  await second.lineWith('equal, 2 members')
  await mirrored.define('1h')
  await second.lineWith('version 2 was built: the list was taken anew, 3 members')
  await mirrored.buy('eve', 600)
  const { digest } = await mirrored.segment(
    ({ version, members }) => version === 2 && members === 4,
  )
  await second.lineWith(`digest ${String(digest)} equal, 4 members`)
  await stopped(second)
  expect(await mirrored.compare()).toBe(3)
  expect((await service.end()).code).toBe(0)
})

it('over EventStoreDB too, where one mirror goes from the feed to the store and back', async () => {
  const double = await EventStoreDouble.start()
  cleanUp.push(() => double.close())
  const env = { STORE_URL: double.connectionString, READ_MODEL: 'data/read-model.db' }
  const service = await StartedService.start(makeFolder(), env)
  const mirrored = new Mirrored(service)
  for (const customer of ['ada', 'bob', 'eve', 'joe']) await service.createEntity(customer)
  await mirrored.buy('ada')
  await mirrored.define('1h')
  const ways = [[], ['--url', double.connectionString], []]
  for (const [at, args] of ways.entries()) {
    const mirror = mirrored.start(args)
    await mirror.lineWith(`equal, ${String(at + 1)} members`)
    await mirrored.buy(['bob', 'eve', 'joe'][at] ?? '')
    await mirror.lineWith(`equal, ${String(at + 2)} members`)
    await stopped(mirror)
  }
  expect(await mirrored.compare()).toBe(3)
  expect((await service.end()).code).toBe(0)
})
