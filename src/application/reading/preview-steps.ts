import { firstCount } from '../../domain/segments/rule/first-count.js'
import type { CountRule, Rule } from '../../domain/segments/rule/rule.js'
import type { Previewed, RuleEstimate, Sampled } from '../segments/ports/segment-queries.js'

export interface PreviewRequest {
  readonly rule: Rule
  /** The segment whose members are compared with the members of the rule. Undefined without a comparison. */
  readonly against: string | undefined
  /** The maximum number of members in each sample. */
  readonly sample: number
  /**
   * A JSON pointer to a number in each event. Members are ranked by the sum of these numbers. When undefined,
   * members are ranked by the number of their events.
   */
  readonly sum: string | undefined
}

/**
 * An estimate of the number of members, from a sample of entities. In 95 of 100 cases, the true number is from
 * `low` to `high`.
 */
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
  /** The number of entities that are evaluated so far. `members` is the number of members among these entities. */
  readonly done: number
  readonly members: number
}

/** The exact result at the position of the preview. Samples are external ids in the order of creation. */
export interface PreviewResult extends Pick<Previewed, 'members' | 'digest' | 'top' | 'events'> {
  readonly kind: 'result'
  readonly sample: readonly string[]
  readonly entering: PreviewChange
  readonly leaving: PreviewChange
  /**
   * The condition of the rule that selects the events for the ranking of members. Undefined when the rule
   * counts no events.
   */
  readonly by: CountRule | undefined
  readonly isSummed: boolean
}

export interface PreviewChange {
  readonly count: number
  readonly sample: readonly string[]
}

export type PreviewStep = PreviewEstimate | PreviewProgress | PreviewResult

/** The number of standard deviations that covers 95 % of a normal distribution. */
const z = 1.96

/** Estimates the number of members. The range is the Wilson score interval, which also suits shares near 0 and 1. */
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
