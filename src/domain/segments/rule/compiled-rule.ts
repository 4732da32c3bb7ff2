import {
  countMatcher,
  sustainedTest,
  lastMatcher,
  type SustainedTest,
  type Matcher,
  type NameCondition,
} from './matcher.js'
import { prepareInstantTest, type PreparedInstantTest, durationMs } from './instant-test.js'
import { parsePointer } from './pointer.js'
import type { Count, CountRule, LastRule, PropertyRule, Rule, ValueTest } from './rule.js'

/** A rule in the form that `evaluate` reads: durations are numbers, and conditions are ids. */
export type Node =
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Node[] }
  | { readonly kind: 'not'; readonly part: Node }
  | { readonly kind: 'everyone' }
  | { readonly kind: 'segment'; readonly id: string }
  | { readonly kind: 'created'; readonly test: PreparedInstantTest }
  | { readonly kind: 'value'; readonly steps: readonly string[]; readonly test: ValueTest }
  | {
      readonly kind: 'instant'
      readonly steps: readonly string[]
      readonly test: PreparedInstantTest
    }
  | { readonly kind: 'sustained'; readonly id: string; readonly forMs: number }
  | {
      readonly kind: 'count'
      readonly matcher: string
      readonly withinMs: number
      readonly count: Count
    }
  | { readonly kind: 'last'; readonly matcher: string }
  | { readonly kind: 'bucket'; readonly salt: string; readonly belowShare: number }

export interface CompiledRule {
  readonly node: Node
  readonly matchers: readonly Matcher[]
  readonly sustainedTests: readonly SustainedTest[]
  /** The top-level names of the properties that the rule reads. */
  readonly names: ReadonlySet<string>
  readonly segments: ReadonlySet<string>
  /** True if the rule's result can change without a new fact. */
  readonly isTimed: boolean
}

export interface CompileOptions {
  readonly nameOf: NameCondition
  /** Returns the active id of a segment by its key, or undefined when no such segment exists. */
  readonly segmentId: (key: string) => string | undefined
}

export function compileRule(rule: Rule, options: CompileOptions): CompiledRule {
  return new Compiler(options).compile(rule)
}

const matchesNobody: Node = { kind: 'any', parts: [] }

class Compiler {
  private readonly matchers: Matcher[] = []
  private readonly sustainedTests: SustainedTest[] = []
  private readonly names = new Set<string>()
  private readonly segments = new Set<string>()
  private isTimed = false

  constructor(private readonly options: CompileOptions) {}

  compile(rule: Rule): CompiledRule {
    const node = this.node(rule)
    const { matchers, sustainedTests, names, segments, isTimed } = this
    return { node, matchers, sustainedTests, names, segments, isTimed }
  }

  private node(rule: Rule): Node {
    if ('all' in rule) return { kind: 'all', parts: rule.all.map((part) => this.node(part)) }
    if ('any' in rule) return { kind: 'any', parts: rule.any.map((part) => this.node(part)) }
    if ('not' in rule) return { kind: 'not', part: this.node(rule.not) }
    if ('property' in rule) return this.property(rule)
    return this.leaf(rule)
  }

  private leaf(rule: Leaf): Node {
    if ('everyone' in rule) return { kind: 'everyone' }
    if ('segment' in rule) return this.segment(rule.segment)
    if ('created' in rule) return { kind: 'created', test: this.timed(rule.created) }
    if ('bucket' in rule) {
      const { salt = '', below } = rule.bucket
      return { kind: 'bucket', salt, belowShare: shareOf(below) }
    }
    return this.event(rule)
  }

  private event(rule: CountRule | LastRule): Node {
    if ('last' in rule) return { kind: 'last', matcher: this.add(lastMatcher(rule, this.nameOf)) }
    const { within, count = { gte: 1 } } = rule
    if (within !== undefined) this.isTimed = true
    const withinMs = within === undefined ? Infinity : (durationMs(within) ?? Number.NaN)
    return { kind: 'count', matcher: this.add(countMatcher(rule, this.nameOf)), withinMs, count }
  }

  private get nameOf(): NameCondition {
    return this.options.nameOf
  }

  private add(matcher: Matcher): string {
    this.matchers.push(matcher)
    return matcher.id
  }

  private segment(key: string): Node {
    const id = this.options.segmentId(key)
    if (id === undefined) return matchesNobody
    this.segments.add(id)
    return { kind: 'segment', id }
  }

  private timed(test: Parameters<typeof prepareInstantTest>[0]): PreparedInstantTest {
    const prepared = prepareInstantTest(test)
    if (prepared.moves) this.isTimed = true
    return prepared
  }

  private property(rule: PropertyRule): Node {
    const { property, is } = rule
    const steps = parsePointer(property)
    this.names.add(steps[0] ?? '')
    if ('before' in is || 'after' in is) return { kind: 'instant', steps, test: this.timed(is) }
    if (rule.for === undefined) return { kind: 'value', steps, test: is }
    const test = sustainedTest(property, is, this.nameOf)
    this.sustainedTests.push(test)
    this.isTimed = true
    return { kind: 'sustained', id: test.id, forMs: durationMs(rule.for) ?? Number.NaN }
  }
}

type Leaf = Exclude<
  Rule,
  { readonly all: unknown } | { readonly any: unknown } | { readonly not: unknown } | PropertyRule
>

/** Converts a percentage to a number of 10,000 buckets, without the rounding errors of doubles. */
function shareOf(below: number): number {
  return Math.round(below * 100 * 1e6) / 1e6
}
