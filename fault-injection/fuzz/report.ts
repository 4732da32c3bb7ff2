/** The result of a fuzz run. */
export interface FuzzReport {
  readonly seed: number
  readonly store: string
  readonly requests: number
  readonly scenarios: number
  readonly seconds: number
  /** The number of replies by status. */
  readonly statuses: Readonly<Record<string, number>>
  /** The number of requests by kind. */
  readonly kinds: Readonly<Record<string, number>>
  /** The number of facts that were answered with 201, without repeated ones. */
  readonly acknowledged: number
  readonly replayed: number
  /** The number of facts in the file after the stop. Undefined for the store in memory. */
  readonly stored: number | undefined
  /** Empty when everything is correct. */
  readonly problems: readonly Problem[]
}

export interface Problem {
  /** The number of the scenario. Undefined when the problem was found after the last one. */
  readonly scenario: number | undefined
  readonly what: string
  /** The bytes of the request in latin1, as a JSON string. Long ones are cut. */
  readonly request?: string
  /** The number of requests that had been sent. */
  readonly after: number
}

export function count(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1
}

/** Formats the report for people: the requests, the replies, the faults, and how to reproduce them. */
export function table(report: FuzzReport): string {
  const { seed, store, requests, scenarios, seconds, stored, problems } = report
  const facts = `${String(report.acknowledged)} acknowledged, ${String(report.replayed)} replayed, ${stored === undefined ? 'not looked at' : `${String(stored)} stored`}`
  const lines = [
    `seed ${String(seed)}, store ${store}: ${String(requests)} requests in ${String(scenarios)} scenarios, ${seconds.toFixed(1)} s`,
    `facts: ${facts}`,
    ...block('replies', report.statuses),
    ...block('requests', report.kinds),
    ...problems.flatMap((one) => shown(one, report)),
    problems.length === 0 ? 'nothing wrong' : `${String(problems.length)} wrong`,
  ]
  return `${lines.join('\n')}\n`
}

function block(title: string, counts: Readonly<Record<string, number>>): readonly string[] {
  const rows = Object.entries(counts).sort(([left], [right]) => left.localeCompare(right))
  return [`${title}:`, ...rows.map(([what, many]) => `  ${String(many).padStart(8)}  ${what}`)]
}

function shown(
  { scenario, what, request, after }: Problem,
  { seed, store }: FuzzReport,
): readonly string[] {
  const again = `node tools/run.js .build/fault-injection/fuzz/command.js --seed ${String(seed)} --scenario ${String(scenario)} --store ${store}`
  return [
    `WRONG after ${String(after)} requests: ${what}`,
    ...(request === undefined ? [] : [`  ${request}`]),
    ...(scenario === undefined ? [] : [`  again: ${again}`]),
  ]
}
