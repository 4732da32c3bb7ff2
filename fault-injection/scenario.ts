import type { Random } from './random.js'
import type { StoreUnderTest } from './stores.js'

/** How long it takes: seconds for a first look, a few minutes, everything. */
export type Form = 'smoke' | 'quick' | 'thorough'

/** What came of one scenario over one store. */
export interface Row {
  readonly scenario: string
  readonly store: string
  /** Why it was not tried. Then every number is 0. */
  readonly skipped?: string
  /** Requests that were made; one that is sent again under its key is still one. */
  readonly tried: number
  /** Those that were answered with a 2xx. */
  readonly acknowledged: number
  /** Those that are in the store, acknowledged or not. */
  readonly found: number
  /** Facts beyond the first of a request. */
  readonly doubled: number
  /** Acknowledged and not in the store. */
  readonly lost: number
  /** A status that is wrong for what happened, a reply that differs from what is stored, no answer. */
  readonly wrong: number
  /** Ends that nobody asked for, unhandled rejections, lines of a mistake in the log. */
  readonly crashed: number
  readonly notes: readonly string[]
  /** The first of what went wrong, in words. */
  readonly faults: readonly string[]
}

export interface Context {
  readonly form: Form
  readonly random: Random
  /** Part of every name that is made, so that a shared store holds no other of that name. */
  readonly runId: string
  /** Shows how far it is. */
  readonly say: (text: string) => void
  /** The stores that every scenario can be tried on, each opened anew. */
  readonly stores: readonly (() => Promise<StoreUnderTest>)[]
}

export interface Scenario {
  readonly name: string
  /** Whether the smoke form has it. */
  readonly smoke?: boolean
  /** After how long it counts as hung, for the forms in which 20 minutes are too short. */
  readonly maxMs?: Readonly<Partial<Record<Form, number>>>
  readonly run: (context: Context) => Promise<readonly Row[]>
}

const defaultMaxMs = 20 * 60_000

/** After how long the scenario counts as hung. */
export function maxMsOf({ maxMs }: Pick<Scenario, 'maxMs'>, form: Form): number {
  return maxMs?.[form] ?? defaultMaxMs
}

/** The value for the form in which the run runs. */
export function byForm<T>({ form }: Pick<Context, 'form'>, values: Readonly<Record<Form, T>>): T {
  return values[form]
}

/** A row for each of the stores, one after the other. */
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

/** Nothing lost, doubled, answered wrongly or crashed. */
export function isGood({ doubled, lost, wrong, crashed }: Row): boolean {
  return doubled + lost + wrong + crashed === 0
}
