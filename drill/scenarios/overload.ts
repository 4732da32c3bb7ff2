import { setTimeout as pause } from 'node:timers/promises'
import { HealthWatch } from '../health-watch.js'
import type { Load } from '../load.js'
import { MemoryWatch } from '../memory.js'
import { drill, type Run } from '../run.js'
import { byForm, type Context, type Row, type Scenario } from '../scenario.js'
import { openSqlite, type DrillStore } from '../stores.js'

const usualConnections = 64
/** Generous: a service at rest has about 100. */
const mostMegabytes = 768

interface Form {
  readonly label: string
  readonly open: () => Promise<DrillStore>
  readonly maxInFlight: number
  readonly connections: number
}

/** Ten times the connections that it serves well, each sending again as soon as it was answered. */
export const overloadScenario: Scenario = {
  name: 'overload',
  run: async (context) => {
    const tenfold = { maxInFlight: usualConnections, connections: 10 * usualConnections }
    const forms: Form[] = context.stores.map((open) => ({ label: 'limit 64', open, ...tenfold }))
    forms.push({
      label: 'limit 4,096',
      open: openSqlite,
      maxInFlight: 4_096,
      connections: byForm(context, { smoke: 4_200, short: 5_000, long: 8_000 }),
    })
    const rows: Row[] = []
    for (const form of forms) rows.push(await over(form, context))
    return rows
  },
}

async function over(form: Form, context: Context): Promise<Row> {
  const store = await form.open()
  const before = byForm(context, { smoke: 2, short: 5, long: 15 })
  const during = byForm(context, { smoke: 2, short: 10, long: 60 })
  const options = {
    scenario: `overload, ${form.label}`,
    store,
    entityPrefix: `${context.runId}-overload`,
    env: { MAX_IN_FLIGHT: String(form.maxInFlight) },
  }
  return drill(options, async (run) => {
    const service = await run.start()
    await run.nextEntities()
    context.say(`${store.label}, ${form.label}: ${String(usualConnections)} connections`)
    await loaded(run, usualConnections, 2)
    const usual = await loaded(run, usualConnections, before)
    context.say(`${store.label}, ${form.label}: ${String(form.connections)} connections`)
    const memory = new MemoryWatch(service.pid)
    const health = new HealthWatch(Number(new URL(service.origin).port), run.ledger)
    const tenfold = await loaded(run, form.connections, during)
    await health.stop()
    memory.stop()
    if (memory.highest > mostMegabytes) run.ledger.remark(`took ${memory.highest.toFixed(0)} MB`)
    const after = await loaded(run, usualConnections, before)
    await run.stop(service)
    run.notes.push(
      told(`${String(usualConnections)} connections`, usual),
      told(`${String(form.connections)} connections`, tenfold),
      told(`${String(usualConnections)} connections again`, after),
      `highest memory ${memory.highest.toFixed(0)} MB (allowed ${String(mostMegabytes)})`,
      `health asked ${String(health.asked)} times, the longest answer ${health.longestMs.toFixed(0)} ms; ${String(health.notReady)} times not ready`,
    )
  })
}

interface Measured {
  readonly load: Load
  readonly seconds: number
}

async function loaded(run: Run, connections: number, seconds: number): Promise<Measured> {
  const begun = performance.now()
  const load = run.load({ keyed: 8, unkeyed: connections - 8, restMs: 0, addressOf })
  await pause(seconds * 1_000)
  await load.stop()
  return { load, seconds: (performance.now() - begun) / 1_000 }
}

/** Each address of this machine has ports of its own. */
function addressOf(sender: number): string {
  return `127.0.0.${String(2 + (sender % 4))}`
}

function told(what: string, { load, seconds }: Measured): string {
  const { accepted, refused } = load
  const of = (count: number) => `${(count / seconds).toFixed(0)}/s`
  const stored = `stored ${of(accepted.count)}, p50 ${accepted.at(0.5).toFixed(0)} ms, p99 ${accepted.at(0.99).toFixed(0)} ms`
  if (refused.count === 0) return `${what}: ${stored}; none refused`
  return `${what}: ${stored}; refused ${of(refused.count)}, p50 ${refused.at(0.5).toFixed(0)} ms, p99 ${refused.at(0.99).toFixed(0)} ms`
}
