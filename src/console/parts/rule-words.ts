import type {
  Boundary,
  Count,
  CountRule,
  EventName,
  InstantTest,
  LastRule,
  PropertyRule,
  Rule,
  Scalar,
  ValueTest,
  Where,
} from '../../client/dossier.js'
import { pointerWords } from './pointer-words.js'
import { durationWords } from './times.js'

/**
 * A piece of a sentence: text of the console, a name or value from the service, the key of a segment, or an instant.
 */
export type Word =
  | string
  | { readonly name: string }
  | { readonly segment: string }
  | { readonly at: string }

export type Words = readonly Word[]

/** Returns the sentence as text, for titles and tests. */
export function plainWords(words: Words): string {
  return words.map((word) => (typeof word === 'string' ? word : Object.values(word)[0])).join('')
}

export function joined(parts: readonly Words[], between: string): Words {
  return parts.flatMap((part, index) => (index === 0 ? part : [between, ...part]))
}

/**
 * Returns the condition of a rule in words that continue the sentence "everybody with …": at least 1 buy in the last 90
 * days. With `negated`, returns the opposite condition.
 */
export function ruleWords(rule: Rule, negated = false): Words {
  if ('not' in rule) return ruleWords(rule.not, !negated)
  const parts = partsOf(rule)
  if (parts !== undefined) {
    const isAll = areAllAsked(rule, negated)
    return joined(
      parts.map((part) => inBrackets(part, isAll, negated)),
      isAll ? ' and ' : ' or ',
    )
  }
  return leafWords(rule, negated)
}

/** Returns whether all parts are required. The negation of `all` requires only one failing part. */
function areAllAsked(rule: Rule, negated: boolean): boolean {
  return negated ? 'any' in rule : 'all' in rule
}

function partsOf(rule: Rule): readonly Rule[] | undefined {
  return 'all' in rule ? rule.all : 'any' in rule ? rule.any : undefined
}

function inBrackets(rule: Rule, isAll: boolean, negated: boolean): Words {
  if ('not' in rule) return inBrackets(rule.not, isAll, !negated)
  const words = ruleWords(rule, negated)
  const several = partsOf(rule)?.length ?? 0
  return several < 2 || areAllAsked(rule, negated) === isAll ? words : ['(', ...words, ')']
}

function leafWords(rule: Rule, negated: boolean): Words {
  const not = negated ? 'not ' : ''
  if ('everyone' in rule) return [negated ? 'nobody' : 'everybody']
  if ('segment' in rule) return [`${not}in `, { segment: rule.segment }]
  if ('created' in rule) return [`${not}created `, instantWords(rule.created)]
  if ('bucket' in rule) return [not, ...bucketWords(rule.bucket)]
  if ('property' in rule) return propertyWords(rule, negated)
  return 'event' in rule ? eventRuleWords(rule, negated) : []
}

function eventRuleWords(rule: CountRule | LastRule, negated: boolean): Words {
  if (!('last' in rule)) return countRuleWords(rule, negated)
  return [...lastWords(rule), negated ? ' fails: ' : ' passes: ', ...whereWords(rule.last)]
}

function bucketWords({ salt, below }: { readonly salt?: string; readonly below: number }): Words {
  const drawn = salt === undefined || salt === '' ? [] : [' drawn by ', { name: salt }]
  return [`among a fixed ${String(below)} % of everybody`, ...drawn]
}

function propertyWords({ property, is, for: duration }: PropertyRule, negated: boolean): Words {
  const long = duration === undefined ? '' : `, for ${durationWords(duration)} without a break`
  const test = 'before' in is || 'after' in is ? ['is ', instantWords(is)] : testWords(is)
  // Negates a test with a duration as a whole, because both together are the condition.
  const words = negated && long === '' ? notWords(is, test) : test
  const all: Words = [{ name: pointerWords(property) }, ' ', ...words, long]
  return negated && long !== '' ? ['not (', ...all, ')'] : all
}

export function notWords(test: ValueTest | InstantTest, words: Words): Words {
  const [word, another] = Object.keys(test)
  const [first, ...rest] = words
  const isOne = another === undefined
  if (isOne && 'exists' in test) return testWords({ exists: !test.exists })
  if (isOne && 'not' in test) return testWords(test.not)
  // `includes` also fails for a value that is not a list, so "is not" would be wrong for it.
  const isPlain = isOne && word !== 'includes' && typeof first === 'string'
  if (isPlain && first.startsWith('is ')) return [`is not ${first.slice(3)}`, ...rest]
  return ['does not pass: ', ...words]
}

/** Returns a test in words: `is over 3 and is under 7`. */
export function testWords(test: ValueTest): Words {
  return joined(
    Object.entries(test).map(([word, value]: [string, unknown]) => oneTest(word, value)),
    ' and ',
  )
}

const comparisons: Readonly<Record<string, string>> = {
  eq: 'is ',
  gt: 'is over ',
  gte: 'is at least ',
  lt: 'is under ',
  lte: 'is at most ',
  starts_with: 'begins with ',
  contains: 'contains ',
  includes: 'is a list with ',
}

const shownAtMost = 8

function oneTest(word: string, value: unknown): Words {
  if (word === 'exists') return [value === true ? 'is known' : 'is not known']
  if (word === 'not') return notWords(value as ValueTest, testWords(value as ValueTest))
  if (word === 'in') {
    const values = value as readonly Scalar[]
    const words = values.slice(0, shownAtMost).map(valueWord)
    const rest = values.length - words.length
    const more = rest > 0 ? [` or ${String(rest)} others`] : []
    return [
      'is ',
      ...joined(
        words.map((one) => [one]),
        rest > 0 ? ', ' : ' or ',
      ),
      ...more,
    ]
  }
  return [comparisons[word] ?? `${word} `, valueWord(value)]
}

export function valueWord(value: unknown): Word {
  return { name: JSON.stringify(value) }
}

export function instantWords(test: InstantTest): string {
  return 'before' in test
    ? `before ${boundaryWords(test.before)}`
    : `after ${boundaryWords(test.after)}`
}

function boundaryWords(boundary: Boundary): string {
  if (typeof boundary === 'string') return boundary
  return 'ago' in boundary
    ? `${durationWords(boundary.ago)} ago`
    : `${durationWords(boundary.ahead)} from now`
}

function countRuleWords(rule: CountRule, negated: boolean): Words {
  const number = /\d+/.exec(plainWords(neededWords(rule.count, negated)))?.[0]
  // After `no`, the noun is singular: one event is missing.
  return [...neededWords(rule.count, negated), ...eventWords(rule, Number(number ?? 1))]
}

/** Returns a required count in words: `at least 2 `. With `negated`, returns the opposite: `at most 1 `. */
export function neededWords(count: Count = { gte: 1 }, negated = false): Words {
  if (!negated) return Object.entries<number>(count).map(amount)
  if ('eq' in count) return ['not ', ...neededWords(count)]
  return neededWords('gte' in count ? { lte: count.gte - 1 } : { gte: count.lte + 1 })
}

function amount([word, number]: readonly [string, number]): string {
  if (word === 'gte' || number > 0) return `${amounts[word] ?? ''}${String(number)} `
  return number < 0 ? 'fewer than 0 ' : 'no '
}

const amounts: Readonly<Record<string, string>> = {
  gte: 'at least ',
  lte: 'at most ',
  eq: 'exactly ',
}

/**
 * Returns the events that a rule counts in words: `buy events where total is over 100 in the last 90 days`. `number`
 * selects the singular or the plural.
 */
export function eventWords(rule: CountRule, number: number): Words {
  return [...named(rule.event, number), ...clauses(rule.where), spanWords(rule)]
}

/** Returns the period in which events count: ` in the last 90 days`. */
export function spanWords({ within, after, before }: CountRule): string {
  if (within !== undefined) return ` in the last ${durationWords(within)}`
  const from = after === undefined ? [] : [` on or after ${after}`]
  const to = before === undefined ? [] : [` before ${before}`]
  return [...from, ...to].join(' and') || ' ever'
}

/** Returns the last event of a rule in words: `the last delivered where …`. */
export function lastWords({ event, where }: LastRule): Words {
  return ['the last ', ...named(event, 1), ...clauses(where)]
}

/** Returns the name of events with its noun: `buy events`. `number` selects the singular or the plural. */
export function named(event: EventName, number: number): Words {
  const noun = number === 1 ? 'event' : 'events'
  return typeof event === 'string'
    ? [{ name: event }, ` ${noun}`]
    : [`${noun} called `, { name: event.starts_with }, '…']
}

function clauses(where: Where | undefined): Words {
  return where === undefined || Object.keys(where).length === 0
    ? []
    : [' where ', ...whereWords(where)]
}

export function whereWords(where: Where): Words {
  const tests = Object.entries(where)
  return joined(
    tests.map(([pointer, test]) => [{ name: pointerWords(pointer) }, ' ', ...testWords(test)]),
    ' and ',
  )
}

const unitMs: Readonly<Record<string, number>> = { m: 6e4, h: 36e5, d: 864e5, w: 6048e5 }

export function durationMs(duration: string): number {
  return Number(duration.slice(0, -1)) * (unitMs[duration.slice(-1)] ?? 0)
}
