import { Agent, get as httpGet } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createKey } from '../../src/adapters/api-keys/manage-keys.js'
import { attacks } from '../hostile-readers.js'
import { Latencies } from '../latencies.js'
import { MemoryWatch, memoryOf } from '../memory.js'
import { runKey } from '../requests.js'
import { runWithFaults, type Run } from '../run.js'
import { byForm, type Context, type Row, type Scenario } from '../scenario.js'
import { openSqlite } from '../stores.js'

const name = 'hostile-readers'
/** The most memory that reads may use beyond an idle process, in MB. */
const maxMegabytesMore = 512
/**
 * The longest latency of a small read, in milliseconds. It leaves room for a busy machine: a violation means that
 * reads are blocked.
 */
const maxMs = 1_000
const largeBytes = 245_000
const smallReaders = 4

/**
 * One reader attacks with large requests and unread replies. Another reader, with its own key, must still be
 * served.
 */
export const hostileReadersScenario: Scenario = {
  name,
  smoke: true,
  run: async (context) => [await over(context)],
}

async function over(context: Context): Promise<Row> {
  const { runId, say } = context
  // This scenario checks reads, so its ledger contains no requests and the stored facts are ignored.
  const store = { ...(await openSqlite()), facts: noFacts }
  const env = { API_KEYS_FILE: './keys.json' }
  const options = { scenario: name, store, entityPrefix: `${runId}-hostile`, env }
  return runWithFaults(options, async (run) => {
    const keys = join(run.folder, 'keys.json')
    const [hostile, friend] = ['hostile', 'friend'].map(
      (reader) => createKey(keys, reader, ['read']).key,
    )
    const service = await run.start()
    const { port } = service
    const large = byForm(context, { smoke: 200, quick: 1_000, thorough: 4_000 })
    const many = byForm(context, { smoke: 5_000, quick: 60_000, thorough: 60_000 })
    say(`storing ${String(large)} large events and ${String(many)} small ones`)
    await fill(port, 'large', large, 16, { text: 'x'.repeat(largeBytes) })
    await fill(port, 'many', many, 1_000, {})
    const seconds = byForm(context, { smoke: 3, quick: 10, thorough: 30 })
    const hostility = { port, key: hostile ?? '', large: 'large', many: 'many', seconds }
    const rest = memoryOf(service.pid) ?? 0
    const agent = new Agent({ keepAlive: true })
    for (const attack of attacks) {
      say(attack.name)
      const memory = new MemoryWatch(service.pid)
      const reads = new SmallReads(port, friend ?? '', agent)
      await attack.run(hostility)
      const ended = performance.now()
      const during = await reads.stop()
      await served(port, friend ?? '', agent)
      memory.stop()
      const more = memory.highest - rest
      judge(run, attack.name, during, more)
      run.notes.push(
        `${attack.name}: ${String(during.times.count)} small reads, ${String(during.refused)} refused, ` +
          `p50 ${during.times.at(0.5).toFixed(0)} ms, p99 ${during.times.at(0.99).toFixed(0)} ms; ` +
          `${more.toFixed(0)} MB above rest; served ${(performance.now() - ended).toFixed(0)} ms after its end`,
      )
    }
    agent.destroy()
    await run.stop(service)
  })
}

async function* noFacts(): AsyncIterable<never> {
  // Yields nothing, because this scenario compares no stored facts.
}

interface Reads {
  readonly times: Latencies
  readonly refused: number
}

function judge({ ledger }: Run, attack: string, { times, refused }: Reads, more: number): void {
  if (refused > 0) ledger.remark(`${attack}: ${String(refused)} small reads were refused`)
  if (times.count === 0) ledger.remark(`${attack}: no small read was answered`)
  if (times.at(0.99) > maxMs) ledger.remark(`${attack}: small reads took too long`)
  if (more > maxMegabytesMore) ledger.remark(`${attack}: took ${more.toFixed(0)} MB more`)
}

/** Sends small reads with one key continuously, over connections that are already open. */
class SmallReads {
  private readonly times = new Latencies()
  private refused = 0
  private stopping = false
  private readonly loops: readonly Promise<void>[]

  constructor(
    private readonly port: number,
    private readonly key: string,
    private readonly agent: Agent,
  ) {
    this.loops = Array.from({ length: smallReaders }, () => this.loop())
  }

  async stop(): Promise<Reads> {
    this.stopping = true
    await Promise.all(this.loops)
    return { times: this.times, refused: this.refused }
  }

  private async loop(): Promise<void> {
    while (!this.stopping) {
      const begun = performance.now()
      const status = await statusOf(this.port, this.key, this.agent)
      if (status === 200) this.times.add(performance.now() - begun)
      else this.refused += 1
      await pause(5)
    }
  }
}

/** Resolves when a small read is answered. */
async function served(port: number, key: string, agent: Agent): Promise<void> {
  while ((await statusOf(port, key, agent)) !== 200) await pause(5)
}

/** Resolves with the status. 0: there was no reply. */
function statusOf(port: number, key: string, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}` }
    const options = { port, host: '127.0.0.1', path: '/entities/small', headers, agent }
    const request = httpGet(options, (response) => {
      response.resume()
      response.once('end', () => {
        resolve(response.statusCode ?? 0)
      })
    })
    request.once('error', () => {
      resolve(0)
    })
  })
}

/** Stores an entity and events with these properties, in batches. */
async function fill(
  port: number,
  entity: string,
  events: number,
  atOnce: number,
  properties: object,
): Promise<void> {
  const created = ['small', entity].map((external_id) => ({
    op: 'update_entity',
    external_id,
    upsert: true,
    set: { entity },
  }))
  await batch(port, created)
  for (let from = 0; from < events; from += atOnce) {
    const items = Array.from({ length: Math.min(atOnce, events - from) }, (_, n) => ({
      op: 'record_event',
      entity_external_id: entity,
      name: 'tick',
      properties: { n: (from + n) % 100, ...properties },
    }))
    await batch(port, items)
  }
}

async function batch(port: number, items: readonly object[]): Promise<void> {
  const headers = { authorization: `Bearer ${runKey}`, 'content-type': 'application/json' }
  const url = `http://127.0.0.1:${String(port)}/batch`
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ items }) })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`a batch was answered ${String(response.status)}`)
}
