import type { Random } from './random.js'
import type { StoreUnderTest } from './stores.js'

/** The length of a run: seconds, a few minutes, or everything. */
export type Form = 'smoke' | 'quick' | 'thorough'

/** The result of one scenario over one store. */
export interface Row {
  readonly scenario: string
  readonly store: string
  /** Why the scenario did not run. All numbers are then 0. */
  readonly skipped?: string
  /** The number of created requests. A repeated request counts once. */
  readonly tried: number
  /** The number of requests that were answered with 2xx. */
  readonly acknowledged: number
  /** The number of requests that are in the store, acknowledged or not. */
  readonly found: number
  /** The number of facts beyond the first of each request. */
  readonly doubled: number
  /** The number of acknowledged requests that are missing from the store. */
  readonly lost: number
  /** The number of wrong outcomes: a wrong status, a reply that differs from the stored fact, or no reply. */
  readonly wrong: number
  /** The number of unexpected ends, unhandled rejections, and log lines about bugs. */
  readonly crashed: number
  readonly notes: readonly string[]
  /** Descriptions of the first faults. */
  readonly faults: readonly string[]
}

export interface Context {
  readonly form: Form
  readonly random: Random
  /** Part of every generated name, so that runs over a shared store do not collide. */
  readonly runId: string
  /** Shows the progress. */
  readonly say: (text: string) => void
  /** Functions that open each store on which every scenario can run. */
  readonly stores: readonly (() => Promise<StoreUnderTest>)[]
}

export interface Scenario {
  readonly name: string
  /** Whether the smoke run includes the scenario. */
  readonly smoke?: boolean
  /** The time after which the scenario counts as hung, by form. Default: 20 minutes. */
  readonly maxMs?: Readonly<Partial<Record<Form, number>>>
  readonly run: (context: Context) => Promise<readonly Row[]>
}

const defaultMaxMs = 20 * 60_000

/** Returns the time after which the scenario counts as hung, in milliseconds. */
export function maxMsOf({ maxMs }: Pick<Scenario, 'maxMs'>, form: Form): number {
  return maxMs?.[form] ?? defaultMaxMs
}

/** Returns the value for the form of this run. */
export function byForm<T>({ form }: Pick<Context, 'form'>, values: Readonly<Record<Form, T>>): T {
  return values[form]
}

/** Runs the scenario over each store in sequence, and returns their rows. */
export async function onEachStore(
  context: Context,
  over: (store: StoreUnderTest, context: Context) => Promise<Row>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const open of context.stores) rows.push(await over(await open(), context))
  return rows
}

export function skippedRow(scenario: string, store: string, reason: string): Row {
  const none = { tried: 0, acknowledged: 0, found: 0, doubled: 0, lost: 0, wrong: 0, crashed: 0 }
  return { scenario, store, skipped: reason, ...none, notes: [], faults: [] }
}

/** Returns whether nothing was lost, doubled, answered wrongly or crashed. */
export function isGood({ doubled, lost, wrong, crashed }: Row): boolean {
  return doubled + lost + wrong + crashed === 0
}
