import type { JsonObject } from '../../src/domain/json.js'

/** A segment by rule. */
export interface BenchSegment {
  readonly key: string
  readonly rule: JsonObject
}

/** The name of the event that most tested segments count. */
export const touchedName = 'buy'

/**
 * Returns segments of four kinds whose windows, thresholds and conditions all differ. An event named `touching`
 * affects the first `touched` segments.
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

/** Returns the name of the event that the n-th segment counts, unless it is one of the `touched` segments. */
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
  }
}

function lapsed(event: string, n: number): Definition {
  const days = 60 + n
  const quiet = 10 + (n % 20)
  return {
    rule: {
      all: [{ event, within: `${String(days)}d` }, { not: { event, within: `${String(quiet)}d` } }],
    },
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
  }
}

function absent(event: string, n: number): Definition {
  const days = 5 + (n % 30)
  return {
    rule: { not: { event, within: `${String(days)}d` } },
  }
}
