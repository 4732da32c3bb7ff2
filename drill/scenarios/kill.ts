import { setTimeout as pause } from 'node:timers/promises'
import { drill } from '../run.js'
import { byForm, onEachStore, type Context, type Row, type Scenario } from '../scenario.js'
import type { DrillStore } from '../stores.js'

const name = 'kill'
/** So many of the latest keyed requests are sent again to the next service. */
const repeats = 32

/** kill -9 at random moments, of start-up too, under keyed and unkeyed load of events and upserts. */
export const killScenario: Scenario = {
  name,
  smoke: true,
  run: (context) => onEachStore(context, over),
}

function over(store: DrillStore, context: Context): Promise<Row> {
  const { random, runId, say } = context
  const kills = byForm(context, { smoke: 3, short: 10, long: 50 })
  return drill({ scenario: name, store, entityPrefix: `${runId}-kill` }, async (run) => {
    let service = await run.start()
    await run.nextEntities()
    const load = run.load({ keyed: 32, unkeyed: 32, restMs: 20, upsertEvery: 3 })
    let atStart = 0
    const downs: number[] = []
    for (let round = 1; round <= kills; round += 1) {
      say(`${store.label}: kill ${String(round)} of ${String(kills)}`)
      await load.acknowledged(1)
      await pause(random.between(5, 800))
      await run.kill(service)
      const killed = performance.now()
      if (round % 5 === 0) {
        // It may not listen yet: opening, recovering, or just ready.
        await run.killAtStart(random.between(50, 600))
        atStart += 1
      }
      service = await run.start()
      await load.acknowledged(1)
      downs.push(performance.now() - killed)
      await run.repeatLatest(repeats)
      // EventStoreDB's adapter finds a key among the latest 1,000 facts of an entity.
      if (round % 10 === 0) await run.nextEntities()
    }
    await load.stop()
    await run.stop(service)
    const longest = Math.max(...downs) / 1_000
    run.notes.push(
      `${String(kills)} kills under load, ${String(atStart)} more during start-up`,
      `${String(load.cuts)} requests had no answer`,
      `longest gap ${longest.toFixed(1)} s, the restart in it`,
    )
  })
}
