import type { Rule } from '../../client/dossier.js'

export interface Template {
  readonly title: string
  /** The id of the template, which is also a valid segment key. */
  readonly key: string
  readonly rule: Rule
  /** The JSON Pointer of a number in each event. People are ranked by the sum of these numbers. */
  readonly sum?: string
}

/** Returns the UTC day that is this number of days ago. */
function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

/** Common rules to begin with. */
export const templates: readonly Template[] = [
  {
    title: 'Bought yesterday: who most',
    key: 'yesterday',
    rule: { event: 'purchase', after: daysAgo(1), before: daysAgo(0) },
    sum: '/total',
  },
  { title: 'Everybody who pays', key: 'paying', rule: { property: '/plan', is: { eq: 'paid' } } },
  { title: 'Created in the last week', key: 'new', rule: { created: { after: { ago: '7d' } } } },
  {
    title: 'Three orders in 30 days',
    key: 'frequent',
    rule: { event: 'purchase', within: '30d', count: { gte: 3 } },
  },
  {
    title: 'Bought 30 to 90 days ago, and not since',
    key: 'win-back',
    rule: {
      all: [{ event: 'purchase', within: '90d' }, { not: { event: 'purchase', within: '30d' } }],
    },
  },
  {
    title: 'No login for 30 days',
    key: 'asleep',
    rule: { not: { event: 'login', within: '30d' } },
  },
  {
    title: 'One purchase over 100 in 30 days',
    key: 'big-spenders',
    rule: { event: 'purchase', where: { '/total': { gt: 100 } }, within: '30d' },
  },
  {
    title: 'The last delivery was late',
    key: 'late-delivery',
    rule: { event: 'delivered', last: { '/late': { eq: true } } },
  },
  {
    title: 'On a trial for 14 days without a break',
    key: 'long-trial',
    rule: { property: '/plan', is: { eq: 'trial' }, for: '14d' },
  },
  {
    title: 'The contract ends within 30 days',
    key: 'contract-ends',
    rule: {
      all: [
        { property: '/contract/ends', is: { after: { ago: '1m' } } },
        { property: '/contract/ends', is: { before: { ahead: '30d' } } },
      ],
    },
  },
  {
    title: 'A tenth of all, always the same ones',
    key: 'tenth',
    rule: { bucket: { salt: 'autumn', below: 10 } },
  },
]

/** More example rules. Together with the templates, they contain every word of rules. */
export const furtherRules: readonly Rule[] = [
  { any: [{ segment: 'win-back' }, { not: { everyone: true } }] },
  { event: { starts_with: 'mail' }, count: { lte: 2 } },
  { property: '/tags', is: { includes: 'new' } },
  { property: '/country', is: { in: ['NO', 'SE'] } },
  { property: '/email', is: { not: { contains: '@example.org' } } },
  { property: '/age', is: { gte: 18, lt: 65 } },
  { property: '/phone', is: { exists: false } },
]
