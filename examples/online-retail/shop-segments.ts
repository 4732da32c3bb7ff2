import type { Rule } from 'dossier/client'

/** A segment, as the body of `PUT /segments/{key}` has it. */
export interface ShopSegment {
  readonly key: string
  readonly title: string
  readonly kind: 'rule'
  readonly rule: Rule
}

const dayMs = 86_400_000

/**
 * Three that a shop would use. The shop's orders are of long ago, and a window like `"within":"30d"` ends
 * now: so they are asked for as of the evening of the shop's last day, between fixed days. `lastOrder`:
 * when the last line of the file was ordered, RFC 3339 in UTC.
 */
export function shopSegments(lastOrder: string): readonly ShopSegment[] {
  const evening = Math.floor(Date.parse(lastOrder) / dayMs) * dayMs + dayMs
  const daysAgo = (days: number) => dateOf(evening - days * dayMs)
  const month = `${lastOrder.slice(0, 'yyyy-mm'.length)}-01`
  const today = daysAgo(0)
  return [
    {
      key: 'big-spenders',
      title: 'Spent over 100 in one line, in the last 30 days',
      kind: 'rule',
      rule: {
        event: 'purchase',
        where: { '/total': { gt: 100 } },
        after: daysAgo(30),
        before: today,
      },
    },
    {
      key: 'new-this-month',
      title: 'Bought this month for the first time',
      kind: 'rule',
      rule: {
        all: [
          { event: 'purchase', after: month, before: today },
          { not: { event: 'purchase', before: month } },
        ],
      },
    },
    {
      key: 'lapsed',
      title: 'Bought 14 to 60 days ago, and not since',
      kind: 'rule',
      rule: {
        all: [
          { event: 'purchase', after: daysAgo(60), before: daysAgo(14) },
          { not: { event: 'purchase', after: daysAgo(14), before: today } },
        ],
      },
    },
  ]
}

/** Its midnight is meant, UTC. */
function dateOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 'yyyy-mm-dd'.length)
}
