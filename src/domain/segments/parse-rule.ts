import { nameViolations } from '../name.js'
import type { RuleViolation } from '../rule-violation.js'
import { isMembers, RuleCheck, type Members } from './rule-check.js'
import type { Rule } from './rule.js'
import { isSegmentKey, segmentKeyMessage } from './segment-key.js'
import { ValueChecks } from './value-violations.js'

export const maxRules = 64
export const maxRuleDepth = 8
export const maxCount = 100

/** The member that says what a rule is, and those that may stand beside it. */
const forms: Readonly<Record<string, readonly string[]>> = {
  all: [],
  any: [],
  not: [],
  everyone: [],
  segment: [],
  created: [],
  property: ['is', 'for'],
  event: ['where', 'within', 'after', 'before', 'count', 'last'],
  bucket: [],
}
const formNames = Object.keys(forms)
const counts = ['gte', 'lte', 'eq']

export type ParsedRule = { readonly rule: Rule } | { readonly violations: readonly RuleViolation[] }

/**
 * The rule that a JSON value is, or everything that is wrong with it, at most 100. The paths lead from
 * the rule. Whether the segments that it names exist is not looked at.
 */
export function parseRule(value: unknown): ParsedRule {
  const violations = ruleViolations(value)
  if (isRule(value, violations)) return { rule: value }
  return { violations }
}

function isRule(value: unknown, violations: readonly RuleViolation[]): value is Rule {
  return isMembers(value) && violations.length === 0
}

function ruleViolations(value: unknown): readonly RuleViolation[] {
  const check = new RuleCheck()
  const rules = new RuleChecks(check)
  rules.rule(value, 1)
  if (rules.count > maxRules) {
    check.add('too_many', `must be made of at most ${String(maxRules)} rules`)
  }
  return check.violations
}

class RuleChecks {
  count = 0
  private readonly values: ValueChecks

  constructor(private readonly check: RuleCheck) {
    this.values = new ValueChecks(check)
  }

  rule(value: unknown, depth: number): void {
    this.count += 1
    const rule = this.check.object(value)
    if (rule === undefined) return
    if (depth > maxRuleDepth) {
      this.check.add('too_deep', `must not be nested deeper than ${String(maxRuleDepth)} rules`)
      return
    }
    const form = this.check.oneOf(rule, formNames)
    if (form === undefined) return
    this.check.allow(rule, [...formNames, ...(forms[form] ?? [])])
    if (form === 'property') this.property(rule)
    else if (form === 'event') this.event(rule)
    else {
      this.check.at(form, () => {
        this.operand(form, rule[form], depth)
      })
    }
  }

  private operand(form: string, value: unknown, depth: number): void {
    switch (form) {
      case 'all':
      case 'any':
        this.rules(value, depth)
        return
      case 'not':
        this.rule(value, depth + 1)
        return
      case 'everyone':
        if (value !== true) this.check.add('wrong_type', 'must be true')
        return
      case 'segment':
        this.key(value)
        return
      case 'created':
        this.values.instantTest(value)
        return
      default:
        this.bucket(value)
    }
  }

  private rules(value: unknown, depth: number): void {
    this.check.list(value, maxRules)?.forEach((part, at) => {
      this.check.at(at, () => {
        this.rule(part, depth + 1)
      })
    })
  }

  private key(value: unknown): void {
    const text = this.check.text(value)
    if (text !== undefined && !isSegmentKey(text))
      this.check.add('bad_characters', segmentKeyMessage)
  }

  private property(rule: Members): void {
    this.member(rule, 'property', (value) => {
      this.values.pointer(value)
    })
    const isHeld = Object.hasOwn(rule, 'for')
    this.required(rule, 'is', (value) => {
      if (isHeld) this.values.valueTest(value)
      else this.values.valueOrInstantTest(value)
    })
    this.member(rule, 'for', (value) => {
      this.values.duration(value)
    })
  }

  private event(rule: Members): void {
    this.member(rule, 'event', (value) => {
      this.eventName(value)
    })
    for (const name of ['where', 'last']) {
      this.member(rule, name, (value) => {
        this.values.where(value)
      })
    }
    this.member(rule, 'within', (value) => {
      this.values.duration(value)
    })
    for (const name of ['after', 'before']) {
      this.member(rule, name, (value) => {
        this.values.time(value)
      })
    }
    this.member(rule, 'count', (value) => {
      this.amount(value)
    })
    this.conflicts(rule, 'last', ['within', 'after', 'before', 'count'])
    this.conflicts(rule, 'within', ['after', 'before'])
  }

  private eventName(value: unknown): void {
    if (!isMembers(value)) {
      this.name(value)
      return
    }
    this.check.allow(value, ['starts_with'])
    this.required(value, 'starts_with', (text) => {
      if (this.check.text(text) === '') this.check.add('empty', 'must not be empty')
    })
  }

  private name(value: unknown): void {
    const text = this.check.text(value)
    for (const { code, message } of text === undefined ? [] : nameViolations(text)) {
      this.check.add(code, message)
    }
  }

  private amount(value: unknown): void {
    const count = this.check.object(value)
    if (count === undefined) return
    this.check.allow(count, counts)
    const kind = this.check.oneOf(count, counts)
    if (kind === undefined) return
    this.member(count, kind, (amount) => {
      this.wholeUpTo(amount, maxCount)
    })
  }

  private wholeUpTo(value: unknown, most: number): void {
    const isFit =
      typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most
    if (isFit) return
    const code = typeof value === 'number' ? 'number_out_of_range' : 'wrong_type'
    this.check.add(code, `must be a whole number from 0 to ${String(most)}`)
  }

  private bucket(value: unknown): void {
    const bucket = this.check.object(value)
    if (bucket === undefined) return
    this.check.allow(bucket, ['salt', 'below'])
    this.member(bucket, 'salt', (salt) => {
      this.check.text(salt)
    })
    this.required(bucket, 'below', (below) => {
      if (typeof below !== 'number') this.check.add('wrong_type', 'must be a number')
      else if (!(below >= 0 && below <= 100)) {
        this.check.add('number_out_of_range', 'must be a number from 0 to 100')
      }
    })
  }

  private member(members: Members, name: string, check: (value: unknown) => void): void {
    if (!Object.hasOwn(members, name)) return
    this.check.at(name, () => {
      check(members[name])
    })
  }

  private required(members: Members, name: string, check: (value: unknown) => void): void {
    if (!Object.hasOwn(members, name)) {
      this.check.at(name, () => {
        this.check.add('required', 'is required')
      })
    }
    this.member(members, name, check)
  }

  private conflicts(members: Members, name: string, others: readonly string[]): void {
    if (!Object.hasOwn(members, name)) return
    for (const other of others) {
      this.member(members, other, () => {
        this.check.add('conflict', `must not stand beside ${name}`)
      })
    }
  }
}
