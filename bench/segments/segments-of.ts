import type { JsonObject } from '../../src/domain/json.js'

/** A segment by rule, and the same as somebody would ask a database for its members. */
export interface BenchSegment {
  readonly key: string
  readonly rule: JsonObject
  /** Over the tables of `segments-sql.ts`. `now`: an expression that is the time. */
  readonly sql: (now: string) => string
}

/** The event that most segments under test are touched by. */
export const touchedName = 'buy'

/**
 * So many segments of four kinds, no two alike: windows, thresholds and conditions differ. An event
 * of the name `touching` touches the first `touched` of them.
 */
export function segmentsOf(
  count: number,
  touched: number,
  touching = touchedName,
): readonly BenchSegment[] {
  return Array.from({ length: count }, (_, n) => {
    const name = n < touched ? touching : otherName(n)
    return { key: `segment-${String(n)}`, ...(kinds[n % kinds.length] ?? frequent)(name, n) }
  })
}

/** The event that the n-th segment asks for when it is not one of the touched. */
export function otherName(n: number): string {
  return `visit-${String(n % 100)}`
}

type Definition = Omit<BenchSegment, 'key'>

const kinds = [frequent, lapsed, spending, absent]

function frequent(event: string, n: number): Definition {
  const days = 20 + n
  const times = 1 + (n % 3)
  return {
    rule: { event, within: `${String(days)}d`, count: { gte: times } },
    sql: (now) =>
      `SELECT entity FROM events WHERE ${since(event, now, days)}
       GROUP BY entity HAVING count(*) >= ${String(times)}`,
  }
}

function lapsed(event: string, n: number): Definition {
  const days = 60 + n
  const quiet = 10 + (n % 20)
  return {
    rule: {
      all: [{ event, within: `${String(days)}d` }, { not: { event, within: `${String(quiet)}d` } }],
    },
    sql: (now) =>
      `SELECT id FROM entities WHERE EXISTS (${ofEntity(event, now, days)})
       AND NOT EXISTS (${ofEntity(event, now, quiet)})`,
  }
}

function spending(event: string, n: number): Definition {
  const days = 20 + n
  const more = n % 100
  return {
    rule: {
      all: [
        { event, where: { '/total': { gt: more } }, within: `${String(days)}d` },
        { property: '/plan', is: { eq: 'paid' } },
      ],
    },
    sql: (now) =>
      `SELECT id FROM entities WHERE properties->>'plan' = 'paid' AND EXISTS
       (${ofEntity(event, now, days)} AND (properties->'total')::int > ${String(more)})`,
  }
}

function absent(event: string, n: number): Definition {
  const days = 5 + (n % 30)
  return {
    rule: { not: { event, within: `${String(days)}d` } },
    sql: (now) => `SELECT id FROM entities WHERE NOT EXISTS (${ofEntity(event, now, days)})`,
  }
}

function since(event: string, now: string, days: number): string {
  return `name = '${event}' AND occurred_at > ${now} - interval '${String(days * 24)} hours'`
}

/** `events` has its own `properties`: the name without a table is the nearer one. */
function ofEntity(event: string, now: string, days: number): string {
  return `SELECT 1 FROM events WHERE entity = entities.id AND ${since(event, now, days)}`
}
