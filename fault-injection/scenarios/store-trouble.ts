import { setTimeout as pause } from 'node:timers/promises'
import { canTrace, holdFlushes } from '../../test/support/hold-flushes.js'
import type { StartedService } from '../../test/support/service-process.js'
import type { Load } from '../load.js'
import { OpenSockets } from '../open-sockets.js'
import type { Random } from '../random.js'
import { runWithFaults, type Run } from '../run.js'
import { byForm, skippedRow, type Context, type Row, type Scenario } from '../scenario.js'
import { openDouble, openDoubleOverTls, openSqlite, type StoreUnderTest } from '../stores.js'

/** The store timeout in milliseconds. Shorter than the trouble, so that requests time out. */
const storeTimeoutMs = 1_000
/** The time that a reply may take beyond the timeout, in milliseconds. It leaves room for a busy machine. */
const slackMs = 4_000

/** A kind of trouble with the store. */
interface Trouble<Store> {
  readonly scenario: string
  readonly open: () => Promise<Store>
  /** Starts the trouble. Resolves with a function that ends it, or undefined when the trouble is already over. */
  readonly begin: (store: Store, service: StartedService, round: number) => Promise<End | undefined>
}

type End = () => Promise<void>
type Double = Awaited<ReturnType<typeof openDouble>>

const frozenDisk: Trouble<StoreUnderTest> = {
  scenario: 'store-frozen',
  open: openSqlite,
  begin: async (_, { pid }) => {
    const hold = await holdFlushes(pid)
    return () => hold.release()
  },
}

/**
 * Freezes the store. Uses TLS, because each new client then has its own connection, and an abandoned connection is
 * detected.
 */
const frozen: Trouble<Double> = {
  scenario: 'store-frozen',
  open: openDoubleOverTls,
  begin: ({ double }) => {
    double.freeze()
    return Promise.resolve(() => {
      double.thaw()
      return Promise.resolve()
    })
  },
}

const gone: Trouble<Double> = {
  scenario: 'store-gone',
  open: openDouble,
  begin: async ({ double }) => {
    await double.tell('refuse-connections')
    return () => double.tell('listen')
  },
}

const cut: Trouble<Double> = {
  scenario: 'store-cut',
  open: openDouble,
  begin: async ({ double }) => {
    await double.tell('drop-connections')
    return undefined
  },
}

/**
 * Restarts the store. Like a real server, it then knows no event ids. Every other restart loses uncommitted events.
 */
const restarted: Trouble<Double> = {
  scenario: 'store-restarted',
  open: openDouble,
  begin: async ({ double }, _, round) => {
    await double.tell('restart', { uncommitted: round % 2 === 0 ? 'lose' : 'keep' })
    return undefined
  },
}

export const storeFrozenScenario: Scenario = {
  name: 'store-frozen',
  run: async (context) => {
    const disk = canTrace()
      ? await over(frozenDisk, context)
      : skippedRow('store-frozen', 'sqlite', 'strace holds the flushes, and it does not work here')
    return [disk, await over(frozen, context)]
  },
}

export const storeGoneScenario: Scenario = {
  name: 'store-gone',
  run: async (context) => [await over(gone, context), await over(cut, context)],
}

export const storeRestartedScenario: Scenario = {
  name: 'store-restarted',
  run: async (context) => [await over(restarted, context)],
}

async function over<Store extends StoreUnderTest>(
  trouble: Trouble<Store>,
  context: Context,
): Promise<Row> {
  const { scenario, open } = trouble
  const { random, runId, say } = context
  const store = await open()
  const rounds = byForm(context, { smoke: 1, quick: 2, thorough: 10 })
  const env = { STORE_TIMEOUT_MS: String(storeTimeoutMs) }
  const entityPrefix = `${runId}-${scenario}`
  return runWithFaults({ scenario, store, entityPrefix, env }, async (run) => {
    const service = await run.start()
    const recoveries: number[] = []
    const codes = new Map<string, number>()
    let maxAnswer = 0
    let sockets: OpenSockets | undefined
    for (let round = 1; round <= rounds; round += 1) {
      say(`${store.label}: round ${String(round)} of ${String(rounds)}`)
      await run.nextEntities()
      sockets ??= await OpenSockets.countedIn(service.pid)
      const load = run.load({ keyed: 16, unkeyed: 16, restMs: 50 })
      recoveries.push(await suffer(() => trouble.begin(store, service, round), load, run, random))
      for (const [code, count] of load.codes) codes.set(code, (codes.get(code) ?? 0) + count)
      maxAnswer = Math.max(maxAnswer, load.maxAnswerMs)
    }
    if (maxAnswer > storeTimeoutMs + slackMs)
      run.ledger.remark(`an answer took ${(maxAnswer / 1_000).toFixed(1)} s`)
    await compare(sockets, run)
    await run.stop(service)
    run.notes.push(
      `${String(rounds)} rounds; answers: ${[...codes].map(([code, count]) => `${String(count)} ${code}`).join(', ')}`,
      `stored again after at most ${(Math.max(...recoveries) / 1_000).toFixed(1)} s`,
      `longest answer ${(maxAnswer / 1_000).toFixed(1)} s with STORE_TIMEOUT_MS=${String(storeTimeoutMs)}`,
    )
  })
}

async function compare(sockets: OpenSockets | undefined, run: Run): Promise<void> {
  const { note, more } = (await sockets?.compared()) ?? { note: 'no round', more: 0 }
  run.notes.push(note)
  if (more > 0) run.ledger.remark(`${String(more)} sockets stay open after the trouble`)
}

/**
 * Causes the trouble and ends it. Resolves with the milliseconds from the end of the trouble to the first 201 for a
 * later request.
 */
async function suffer(
  begin: () => Promise<End | undefined>,
  load: Load,
  run: Run,
  random: Random,
): Promise<number> {
  await load.acknowledged(100)
  await pause(random.between(0, 300))
  const end = await begin()
  if (end !== undefined) await pause(random.between(1_500, 4_000))
  await end?.()
  const begun = performance.now()
  await load.nextStored()
  const recovery = performance.now() - begun
  await load.acknowledged(100)
  await load.stop()
  await run.repeatLatest(16)
  return recovery
}
