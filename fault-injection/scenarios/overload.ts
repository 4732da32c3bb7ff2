import { setTimeout as pause } from 'node:timers/promises'
import { HealthWatch } from '../health-watch.js'
import { MemoryWatch } from '../memory.js'
import { overloadFaults, type Served } from '../overload-faults.js'
import { runWithFaults, type Run } from '../run.js'
import { byForm, type Context, type Row, type Scenario } from '../scenario.js'
import { openSqlite, type StoreUnderTest } from '../stores.js'

const defaultConnections = 64
/**
 * The longest time to open all connections, in milliseconds. The service accepts one connection per tick of its
 * event loop, and ticks become longer with more connections.
 */
const maxOpeningMs = 120_000
/** The most memory, in MB. Generous: an idle service uses about 100 MB. */
const maxMegabytes = 768

interface Form {
  readonly label: string
  /** The time that a sender waits after a refusal, in milliseconds. */
  readonly restMs: number
  readonly open: () => Promise<StoreUnderTest>
  readonly maxInFlight: number
  readonly connections: number
  /** The most connections that are being opened at one time. */
  readonly openAtOnce: number
}

/**
 * Opens ten times as many connections as `MAX_IN_FLIGHT` admits. Some senders retry immediately after every reply.
 * Others honour Retry-After: they start at the same moment, and wait after a refusal. At the default limit, none of
 * 2,000 requests may be refused.
 */
export const overloadScenario: Scenario = {
  name: 'overload',
  run: async (context) => {
    const tenfold = { maxInFlight: defaultConnections, connections: 10 * defaultConnections }
    const burst = tenfold.connections
    const label = 'limit 64, honours Retry-After'
    const honouring = { label, restMs: 1_000, openAtOnce: burst, ...tenfold }
    const retrying = { restMs: 0, openAtOnce: defaultConnections, open: openSqlite }
    const forms: Form[] = [
      ...context.stores.map((open) => ({ open, ...honouring })),
      { ...retrying, ...tenfold, label: 'limit 64, retries at once' },
      {
        ...retrying,
        label: 'limit 4,096, retries at once',
        maxInFlight: 4_096,
        connections: 2_000,
      },
    ]
    const rows: Row[] = []
    for (const form of forms) rows.push(await over(form, context))
    return rows
  },
}

async function over(form: Form, context: Context): Promise<Row> {
  const store = await form.open()
  const before = byForm(context, { smoke: 2, quick: 4, thorough: 8 })
  const during = byForm(context, { smoke: 2, quick: 10, thorough: 60 })
  const options = {
    scenario: `overload, ${form.label}`,
    store,
    entityPrefix: `${context.runId}-overload`,
    env: { MAX_IN_FLIGHT: String(form.maxInFlight) },
  }
  return runWithFaults(options, async (run) => {
    const service = await run.start()
    await run.nextEntities()
    context.say(`${store.label}, ${form.label}: ${String(defaultConnections)} connections`)
    const few = { connections: defaultConnections, openAtOnce: defaultConnections, restMs: 0 }
    await loaded(run, few, 2)
    const usual = await loaded(run, few, before)
    context.say(`${store.label}, ${form.label}: ${String(form.connections)} connections`)
    const memory = new MemoryWatch(service.pid)
    const health = new HealthWatch(service.port, run.ledger)
    const tenfold = await loaded(run, form, during)
    await health.stop()
    memory.stop()
    if (memory.highest > maxMegabytes) run.ledger.remark(`took ${memory.highest.toFixed(0)} MB`)
    for (const fault of overloadFaults(usual, tenfold, health, form.maxInFlight))
      run.ledger.remark(fault)
    const after = await loaded(run, few, before)
    await run.stop(service)
    run.notes.push(
      told(`${String(defaultConnections)} connections`, usual),
      told(`${String(form.connections)} connections`, tenfold),
      told(`${String(defaultConnections)} connections again`, after),
      `${String(tenfold.opened)} of ${String(form.connections)} had a first answer after ${(tenfold.openedMs / 1_000).toFixed(1)} s`,
      `highest memory ${memory.highest.toFixed(0)} MB (allowed ${String(maxMegabytes)})`,
      `health asked ${String(health.asked)} times, the longest answer ${health.maxKeptMs.toFixed(0)} ms over a kept connection, ${health.maxNewMs.toFixed(0)} ms over a new one; ${String(health.notReady)} times not ready`,
    )
  })
}

async function loaded(
  run: Run,
  { connections, openAtOnce, restMs }: Pick<Form, 'connections' | 'openAtOnce' | 'restMs'>,
  seconds: number,
): Promise<Served> {
  const load = run.load({ keyed: 8, unkeyed: connections - 8, restMs, openAtOnce, addressOf })
  const opening = performance.now()
  await Promise.race([load.everySenderHeard(), pause(maxOpeningMs, undefined, { ref: false })])
  const opened = load.sendersHeard
  const begun = performance.now()
  load.measureFromHere()
  await pause(seconds * 1_000)
  const measured = { accepted: load.accepted, refused: load.refused }
  const took = performance.now() - begun
  load.measureFromHere()
  await load.stop()
  const { codes } = load
  const openedMs = begun - opening
  return { ...measured, seconds: took / 1_000, connections, opened, openedMs, codes }
}

/** Returns the source address of a sender. Each local address has its own ports. */
function addressOf(sender: number): string {
  return `127.0.0.${String(2 + (sender % 4))}`
}

function told(what: string, { accepted, refused, seconds }: Served): string {
  const of = (count: number) => `${(count / seconds).toFixed(0)}/s`
  const stored = `stored ${of(accepted.count)}, p50 ${accepted.at(0.5).toFixed(0)} ms, p99 ${accepted.at(0.99).toFixed(0)} ms`
  if (refused.count === 0) return `${what}: ${stored}; none refused`
  return `${what}: ${stored}; refused ${of(refused.count)}, p50 ${refused.at(0.5).toFixed(0)} ms, p99 ${refused.at(0.99).toFixed(0)} ms`
}
