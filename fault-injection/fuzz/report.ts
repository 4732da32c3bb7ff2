/** What a run of the fuzz found. */
export interface FuzzReport {
  readonly seed: number
  readonly store: string
  readonly requests: number
  readonly scenarios: number
  readonly seconds: number
  /** How many replies had which status. */
  readonly statuses: Readonly<Record<string, number>>
  /** How many requests tried what. */
  readonly kinds: Readonly<Record<string, number>>
  /** Facts that were answered with 201, replays not counted. */
  readonly acknowledged: number
  readonly replayed: number
  /** Facts in the file after the stop; undefined for the store in memory. */
  readonly stored: number | undefined
  /** Empty when all is right. */
  readonly problems: readonly Problem[]
}

export interface Problem {
  /** Undefined when it was found after the last scenario. */
  readonly scenario: number | undefined
  readonly what: string
  /** The request, its bytes as a JSON string in latin1; cut when it is long. */
  readonly request?: string
  /** How many requests had been sent. */
  readonly after: number
}

export function count(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1
}

/** For people: what was sent, what came back, what is wrong and how to see it again. */
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
  const again = `npm run fuzz -- --seed ${String(seed)} --scenario ${String(scenario)} --store ${store}`
  return [
    `WRONG after ${String(after)} requests: ${what}`,
    ...(request === undefined ? [] : [`  ${request}`]),
    ...(scenario === undefined ? [] : [`  again: ${again}`]),
  ]
}
