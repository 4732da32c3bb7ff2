import { setTimeout as pause } from 'node:timers/promises'
import { runWithFaults, type Run } from '../run.js'
import {
  byForm,
  onEachStore,
  type Context,
  type Form,
  type Row,
  type Scenario,
} from '../scenario.js'
import { Segments } from '../segments.js'
import type { StoreUnderTest } from '../stores.js'

const name = 'kill'
/** The number of the latest keyed requests that are repeated to the next service. */
const repeats = 32

/** A kind of load that is sent while services are killed. */
interface UnderKills {
  readonly scenario: string
  readonly kills: Readonly<Record<Form, number>>
  /** The longest time between a reply and the next kill, in milliseconds. */
  readonly maxPauseMs: number
  /** Starts the load. */
  readonly load: (run: Run) => KilledLoad
}

interface KilledLoad {
  readonly cuts: number
  acknowledged(more: number): Promise<void>
  stop(): Promise<void>
}

const requests: UnderKills = {
  scenario: name,
  kills: { smoke: 3, quick: 10, thorough: 50 },
  maxPauseMs: 800,
  load: (run) => run.load({ keyed: 32, unkeyed: 32, restMs: 20, upsertEvery: 3, voidEvery: 5 }),
}

const batches: UnderKills = {
  scenario: 'kill-batches',
  kills: { smoke: 1, quick: 5, thorough: 50 },
  maxPauseMs: 100,
  load: (run) => run.batches({ senders: 2, items: 25, voidEvery: 7 }),
}

/** Kills the service with kill -9 at random moments, also during its start, under events, upserts, voids and batches. */
export const killScenario: Scenario = {
  name,
  smoke: true,
  run: async (context) => [
    ...(await onEachStore(context, (store) => killUnder(requests, store, context))),
    ...(await onEachStore(context, (store) => killUnder(batches, store, context))),
  ],
}

function killUnder(what: UnderKills, store: StoreUnderTest, context: Context): Promise<Row> {
  const { scenario, maxPauseMs } = what
  const { random, runId, say } = context
  const kills = byForm(context, what.kills)
  return runWithFaults({ scenario, store, entityPrefix: `${runId}-${scenario}` }, async (run) => {
    let service = await run.start()
    const segments = await Segments.define(run, context)
    await run.nextEntities()
    const load = what.load(run)
    const readers = run.readers(random)
    let atStart = 0
    const downs: number[] = []
    for (let round = 1; round <= kills; round += 1) {
      say(`${store.label}: kill ${String(round)} of ${String(kills)}`)
      await load.acknowledged(1)
      await pause(random.between(5, maxPauseMs))
      await run.kill(service)
      const killed = performance.now()
      if (round % 5 === 0) {
        // The kill may hit any phase of the start: opening, recovering or listening.
        await run.killAtStart(random.between(50, 600))
        atStart += 1
      }
      service = await run.start()
      await load.acknowledged(1)
      downs.push(performance.now() - killed)
      await run.repeatLatest(repeats)
      // Changes the entities, because EventStoreDB's adapter searches an entity's latest 1,000 facts for an
      // idempotency key.
      if (round % 10 === 0) await run.nextEntities()
    }
    await load.stop()
    await readers.stop()
    await segments.stop()
    await run.stop(service)
    await segments.settle()
    const longest = Math.max(...downs) / 1_000
    const voids = run.ledger.acknowledgedVoids
    if (voids === 0) run.ledger.remark('no void was acknowledged')
    run.notes.push(
      `${String(voids)} voids were acknowledged, each is stored once unless a fault is listed`,
      `${String(readers.answered)} reads knew what was acknowledged, ${String(readers.refused)} were refused`,
      `${String(kills)} kills under load, ${String(atStart)} more during start-up`,
      `${String(load.cuts)} requests had no answer`,
      `longest gap ${longest.toFixed(1)} s, the restart in it`,
    )
  })
}
