import { setTimeout as pause } from 'node:timers/promises'
import { RawConnection } from '../../test/support/raw-connection.js'
import { MemoryWatch, memoryOf, maxOpenFiles, socketsOf } from '../memory.js'
import { bytesOf } from '../requests.js'
import { openDeaf, openIdle } from '../idle-clients.js'
import { runWithFaults, type Run } from '../run.js'
import { byForm, type Context, type Row, type Scenario } from '../scenario.js'
import {
  beSlow,
  type Ending,
  timeouts,
  slackMs,
  slownesses,
  type Slowness,
} from '../slow-client.js'
import { openSqlite } from '../stores.js'

const name = 'slow-clients'
const maxMegabytes = 768
/** The number of clients of each kind, besides the idle ones. */
const each = 50
const usual = 8
/** Clients are slow, silent, not reading or disconnected, while other clients are served. */
export const slowClientsScenario: Scenario = {
  name,
  run: async (context) => [await over(context)],
}

async function over(context: Context): Promise<Row> {
  const { runId, say } = context
  const idle = idleCount(byForm(context, { smoke: 100, quick: 1_000, thorough: 10_000 }))
  const store = await openSqlite()
  return runWithFaults({ scenario: name, store, entityPrefix: `${runId}-slow` }, async (run) => {
    const service = await run.start()
    const { port } = service
    await run.nextEntities()
    await served(run, 2_000)
    const alone = await served(
      run,
      byForm(context, { smoke: 2_000, quick: 5_000, thorough: 15_000 }),
    )
    const quiet = { memory: memoryOf(service.pid) ?? 0, sockets: socketsOf(service.pid) ?? 0 }
    const memory = new MemoryWatch(service.pid)
    const stopUsual = serve(run)
    const begun = performance.now()
    say(`opening ${String(idle)} idle connections`)
    const waiting = [...(await openIdle(idle, port)), ...(await openDeaf(each, port))]
    say(`open after ${((performance.now() - begun) / 1_000).toFixed(1)} s; now the slow ones`)
    const ends = await Promise.all([slow(run, port), vanish(run, port)])
    if (context.form === 'thorough') {
      say('waiting for the end of the idle ones')
      await pause(Math.max(0, timeouts.idleMs + 2 * slackMs - (performance.now() - begun)))
      const held = (socketsOf(service.pid) ?? 0) - quiet.sockets - usual
      if (held > 0) run.ledger.remark(`${String(held)} connections are still held`)
    }
    const beside = await stopUsual()
    memory.stop()
    for (const connection of waiting) connection.cut()
    await pause(2_000)
    const after = memoryOf(service.pid) ?? 0
    if (memory.highest > maxMegabytes) run.ledger.remark(`took ${memory.highest.toFixed(0)} MB`)
    await run.stop(service)
    const ended = context.form === 'thorough' ? 'ended by the service' : 'not waited for'
    run.notes.push(
      `${String(idle)} idle and ${String(each)} deaf connections at once, ${ended}`,
      ...ends[0],
      `${String(usual)} usual connections: alone ${alone}; beside all that ${beside}`,
      `memory ${quiet.memory.toFixed(0)} MB before, ${memory.highest.toFixed(0)} at most (allowed ${String(maxMegabytes)}), ${after.toFixed(0)} after`,
    )
  })
}

/** Sends a normal load for a time. Resolves with a summary of the replies. */
async function served(run: Run, ms: number): Promise<string> {
  const stop = serve(run)
  await pause(ms)
  return stop()
}

/** Sends a normal load until the returned function is called. That function resolves with a summary. */
function serve(run: Run): () => Promise<string> {
  const begun = performance.now()
  const load = run.load({ keyed: usual / 2, unkeyed: usual / 2, restMs: 0 })
  return async () => {
    await load.stop()
    const perSecond = (load.accepted.count / (performance.now() - begun)) * 1_000
    return `${perSecond.toFixed(0)}/s, p99 ${load.accepted.at(0.99).toFixed(0)} ms`
  }
}

/** Runs every kind of slow client, many at a time. Resolves with how their connections ended. */
function slow(run: Run, port: number): Promise<readonly string[]> {
  return Promise.all(
    slownesses.map(async (slowness, way) => {
      const address = `127.0.1.${String(way + 1)}`
      const all = Array.from({ length: each }, () => beSlow(slowness, port, address))
      const endings = await Promise.all(all)
      const times = endings.map((ending) => judge(run, slowness, ending))
      return `${slowness.name}: ${String(slowness.answer)} after ${Math.max(...times).toFixed(1)} s at most`
    }),
  )
}

function judge(run: Run, slowness: Slowness, ending: Ending | undefined): number {
  if (ending === undefined) {
    run.ledger.remark(`${slowness.name}: the connection was not ended in time`)
    return Infinity
  }
  if (ending.status !== slowness.answer)
    run.ledger.remark(`${slowness.name}: answered ${String(ending.status)}`)
  return ending.ms / 1_000
}

/** Opens connections that send a request and disconnect, so that nobody reads the reply. */
async function vanish(run: Run, port: number): Promise<void> {
  for (let n = 0; n < each; n += 1) {
    const request = run.ledger.make('event', run.entity(n), n % 2 === 0)
    const connection = await RawConnection.open(port)
    run.ledger.unanswered(request)
    connection.send(bytesOf(request, run.ledger.padding))
    await pause(n % 4)
    connection.reset()
  }
}

/**
 * Returns the number of idle clients that the limit of open files allows. The service and this process each hold
 * one end of a connection.
 */
function idleCount(wanted: number): number {
  const most = maxOpenFiles()
  return most === undefined ? wanted : Math.min(wanted, most - 1_000)
}
