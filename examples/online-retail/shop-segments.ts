import type { Rule } from 'dossier/client'

/** A segment, as the body of `PUT /segments/{key}`. */
export interface ShopSegment {
  readonly key: string
  readonly title: string
  readonly kind: 'rule'
  readonly rule: Rule
}

/** Three segments that a shop would use. */
export const shopSegments: readonly ShopSegment[] = [
  {
    key: 'big-spenders',
    title: 'An order of more than 500 in the last 30 days',
    kind: 'rule',
    rule: { event: 'purchase', where: { '/total': { gt: 500 } }, within: '30d' },
  },
  {
    key: 'gave-back',
    title: 'Gave something back in the last 30 days',
    kind: 'rule',
    rule: { event: 'cancellation', within: '30d' },
  },
  {
    key: 'win-back',
    title: 'Bought 14 to 60 days ago, and not since',
    kind: 'rule',
    rule: {
      all: [{ event: 'purchase', within: '60d' }, { not: { event: 'purchase', within: '14d' } }],
    },
  },
]
