import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { openDatabase, prepareRows } from '../../../src/adapters/sqlite/file/driver.js'
import { accountIn, startClient, startProgram, type Program } from './program.js'

const key = 'the-key-of-the-crash-test'
/** Five programs start one after the other; a busy machine takes its time for each. */
const manyStartsMs = 120_000

/** What is in the day that comes with the example. */
const day = { customers: 59, events: 913, withoutCustomer: 850, lines: 1763 }

let folder: string
let programs: Program[]
let relay: Relay

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crash-'))
  programs = []
  relay = await startRelay()
})

afterEach(async () => {
  for (const { child } of programs) child.kill('SIGKILL')
  await Promise.all(programs.map(({ ended }) => ended))
  await relay.close()
  rmSync(folder, { recursive: true })
})

async function startService(): Promise<Program> {
  const service = startProgram('dist/main.js', [], {
    PORT: '0',
    API_KEY: key,
    API_KEYS_FILE: join(folder, 'api-keys.json'),
    STORE_URL: `sqlite:${join(folder, 'dossier.db')}`,
  })
  programs.push(service)
  const line: unknown = JSON.parse(await service.lineWith('dossier is listening'))
  relay.target = new URL((line as { readonly address: string }).address)
  return service
}

function startClientHere(...args: readonly string[]): Program {
  const client = startClient(relay.url, key, args)
  programs.push(client)
  return client
}

it(
  'service and client killed half-way: run again, every line is stored exactly once',
  async () => {
    const first = await startService()
    const client = startClientHere('--batch', '50', '--in-flight', '2')
    // The service dies with requests under way; the client lives on and reaches the next one.
    await relay.holdAfter(6)
    first.child.kill('SIGKILL')
    await first.ended
    const second = await startService()
    relay.release()
    // The client dies with replies on their way to it.
    await relay.holdAfter(6)
    client.child.kill('SIGKILL')
    expect(await client.ended).toMatchObject({ signal: 'SIGKILL', out: '' })
    relay.release()

    const again = await startClientHere().ended
    const account = accountIn(again)
    expect(again).toMatchObject({ code: 0 })
    expect(account['customers created']).toBeLessThan(day.customers)
    expect(account['events stored']).toBeGreaterThan(0)
    expect(account['events replayed']).toBeGreaterThan(0)
    expect(Number(account['events stored']) + Number(account['events replayed'])).toBe(day.events)
    expect(account['lines read']).toBe(day.lines)

    const last = await startClientHere('--batch', '1').ended
    expect(accountIn(last)).toEqual({
      'customers created': 0,
      'customers updated': 0,
      'customers replayed': day.customers,
      'customers refused': 0,
      'events stored': 0,
      'events replayed': day.events,
      'events refused': 0,
      'lines without a customer': day.withoutCustomer,
      'lines read': day.lines,
    })

    second.child.kill('SIGTERM')
    expect(await second.ended).toMatchObject({ code: 0 })
    expect(countFacts()).toEqual({
      EntityCreated: { facts: day.customers, keys: day.customers },
      EventRecorded: { facts: day.events, keys: day.events },
    })
  },
  manyStartsMs,
)

/** Facts by type, and how many different requests they come from. */
function countFacts(): Readonly<Record<string, unknown>> {
  const db = openDatabase(join(folder, 'dossier.db'))
  try {
    const sql = `SELECT type, count(*), count(DISTINCT metadata ->> 'idempotencyKey')
      FROM facts GROUP BY type`
    const rows = prepareRows(db, sql).all() as readonly (readonly [string, number, number])[]
    return Object.fromEntries(rows.map(([type, facts, keys]) => [type, { facts, keys }]))
  } finally {
    db.close()
  }
}

interface Relay {
  readonly url: URL
  /** Where requests go on to. */
  target: URL
  /**
   * Resolves once so many replies have gone through, with more requests to come; from then on no
   * reply goes through until `release`.
   */
  holdAfter(replies: number): Promise<void>
  release(): void
  close(): Promise<void>
}

/** Stands between client and service, so that "half-way" is a count and not a moment. */
async function startRelay(): Promise<Relay> {
  const agent = new Agent({ keepAlive: true })
  const held: (() => void)[] = []
  let left = Infinity
  let reached: () => void = () => undefined
  /** Calls back when the reply may go through. */
  const pass = (go: () => void): void => {
    if (left > 0) {
      left -= 1
      go()
      return
    }
    held.push(go)
    reached()
  }
  const server: Server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const onward = request(new URL(url ?? '', here.target), { method, headers, agent })
    onward.on('response', (reply) => {
      const pieces: Buffer[] = []
      reply.on('data', (piece: Buffer) => pieces.push(piece))
      reply.on('end', () => {
        pass(() => {
          outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
          outgoing.end(Buffer.concat(pieces))
        })
      })
      reply.on('error', () => incoming.socket.destroy())
    })
    onward.on('error', () => {
      incoming.socket.destroy()
    })
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const here: Relay = {
    url: new URL(`http://127.0.0.1:${String(port)}`),
    target: new URL('http://127.0.0.1:1'),
    holdAfter: (replies) => {
      left = replies
      return new Promise((resolve) => {
        reached = resolve
      })
    },
    release: () => {
      left = Infinity
      for (const go of held.splice(0)) go()
    },
    close: async () => {
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return here
}
