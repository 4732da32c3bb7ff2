import { firstCount } from '../../domain/segments/rule/first-count.js'
import type { CountRule, Rule } from '../../domain/segments/rule/rule.js'
import type { Previewed, RuleEstimate, Sampled } from '../segments/ports/segment-queries.js'

export interface PreviewRequest {
  readonly rule: Rule
  /** The segment whose members are compared with those that the rule has; undefined: with nobody. */
  readonly against: string | undefined
  /** Members in each sample, at most. */
  readonly sample: number
  /** A JSON pointer to the number of each event that members are ranked by; undefined: by how many events. */
  readonly sum: string | undefined
}

/** How many a rule would catch, by some entities at random: in 95 of 100 cases from `low` to `high`. */
export interface PreviewEstimate {
  readonly kind: 'estimate'
  readonly entities: number
  readonly lookedAt: number
  readonly members: number
  readonly low: number
  readonly high: number
}

export interface PreviewProgress {
  readonly kind: 'progress'
  readonly entities: number
  /** Entities that were looked at, and members among them. */
  readonly done: number
  readonly members: number
}

/** Exact, as of the preview's position. Samples are of external ids, in the order of creation. */
export interface PreviewResult extends Pick<Previewed, 'members' | 'digest' | 'top' | 'events'> {
  readonly kind: 'result'
  readonly sample: readonly string[]
  readonly entering: PreviewChange
  readonly leaving: PreviewChange
  /** What members are ranked by; undefined where the rule counts no events. */
  readonly by: CountRule | undefined
  readonly isSummed: boolean
}

export interface PreviewChange {
  readonly count: number
  readonly sample: readonly string[]
}

export type PreviewStep = PreviewEstimate | PreviewProgress | PreviewResult

/** Standard deviations around the mean of a normal distribution within which 95 of 100 lie. */
const z = 1.96

/** The range is that of Wilson's score, which is right for shares near nothing and all, too. */
export function estimateOf({ entities, lookedAt, members }: RuleEstimate): PreviewEstimate {
  const others = lookedAt - members
  const bounded = (share: number) =>
    Math.min(Math.max(share * entities, members), Math.max(members, entities - others))
  if (lookedAt === 0) {
    return { kind: 'estimate', entities, lookedAt, members: 0, low: 0, high: entities }
  }
  const found = members / lookedAt
  const middle = found + (z * z) / (2 * lookedAt)
  const reach = z * Math.sqrt((found * (1 - found) + (z * z) / (4 * lookedAt)) / lookedAt)
  const scale = 1 + (z * z) / lookedAt
  return {
    kind: 'estimate',
    entities,
    lookedAt,
    members: Math.round(bounded(found)),
    low: Math.floor(bounded((middle - reach) / scale)),
    high: Math.ceil(bounded((middle + reach) / scale)),
  }
}

export function resultOf({ rule, sum }: PreviewRequest, previewed: Previewed): PreviewResult {
  const { sample, entering, leaving } = previewed
  return {
    ...previewed,
    kind: 'result',
    sample: idsOf(sample),
    entering: changeOf(entering),
    leaving: changeOf(leaving),
    by: firstCount(rule),
    isSummed: sum !== undefined,
  }
}

function changeOf({ count, sample }: Sampled): PreviewChange {
  return { count, sample: idsOf(sample) }
}

function idsOf(sample: Sampled['sample']): readonly string[] {
  return [...sample]
    .sort((left, right) => left.entity - right.entity)
    .map(({ externalId }) => externalId)
}
