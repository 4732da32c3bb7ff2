import { isJsonObject } from '../../json.js'
import { nameViolations } from '../../name.js'
import type { RuleViolation } from '../../rule-violation.js'
import { formsOfOne, type ObjectForm } from './object-forms.js'
import { RuleCheck, type Members } from './rule-check.js'
import type { Rule } from './rule.js'
import { isSegmentKey, segmentKeyMessage } from '../segment-facts.js'
import { isInstantTest, isValueTest, ValueChecks } from './value-violations.js'

const maxRules = 64
const maxRuleDepth = 8
const maxCount = 100

const sustainedForm: ObjectForm = { needs: ['property', 'is'], takes: ['for'] }
const ruleForms: readonly ObjectForm[] = [
  ...formsOfOne('all', 'any', 'not', 'everyone', 'segment', 'created'),
  sustainedForm,
  { needs: ['event'], takes: ['where', 'within', 'count'] },
  { needs: ['event'], takes: ['where', 'after', 'before', 'count'] },
  { needs: ['event', 'last'], takes: ['where'] },
  ...formsOfOne('bucket'),
]
/** The forms for a rule that tests a time. Such a rule does not permit `for`. */
const timedRuleForms = ruleForms.map((form) =>
  form === sustainedForm ? { ...form, takes: [] } : form,
)
const prefixForms = formsOfOne('starts_with')
const countForms = formsOfOne('gte', 'lte', 'eq')
const bucketForms: readonly ObjectForm[] = [{ needs: ['below'], takes: ['salt'] }]

type ParsedRule = { readonly rule: Rule } | { readonly violations: readonly RuleViolation[] }

/**
 * Parses a JSON value as a rule. For an invalid rule, returns up to 100 violations, with paths that start at
 * the rule. Does not check whether the named segments exist.
 */
export function parseRule(value: unknown): ParsedRule {
  const violations = ruleViolations(value)
  if (isRule(value, violations)) return { rule: value }
  return { violations }
}

function isRule(value: unknown, violations: readonly RuleViolation[]): value is Rule {
  return isJsonObject(value) && violations.length === 0
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

/** Chooses the forms by the members of the rule, so that one mistake leads to one violation. */
function formsFor(rule: Members): readonly ObjectForm[] {
  const { property, is, not } = rule
  // A `not` beside `property` is not a negated rule: the caller meant to write the test inside `is`.
  if (property !== undefined && is === undefined && isValueTest(not)) return [sustainedForm]
  return !Object.hasOwn(rule, 'for') && isInstantTest(is) ? timedRuleForms : ruleForms
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
    const isSustained = Object.hasOwn(rule, 'for')
    this.check.members(rule, formsFor(rule), (word, operand) => {
      if (word === 'is' && isSustained) this.values.valueTest(operand)
      else this.operandOf[word]?.(operand, depth)
    })
  }

  private readonly operandOf: Readonly<Record<string, (value: unknown, depth: number) => void>> = {
    all: (value, depth) => {
      this.rules(value, depth)
    },
    any: (value, depth) => {
      this.rules(value, depth)
    },
    not: (value, depth) => {
      this.rule(value, depth + 1)
    },
    everyone: (value) => {
      if (value !== true) this.check.add('wrong_type', 'must be true')
    },
    segment: (value) => {
      this.key(value)
    },
    created: (value) => {
      this.values.instantTest(value)
    },
    property: (value) => {
      this.values.pointer(value)
    },
    is: (value) => {
      this.values.valueOrInstantTest(value)
    },
    for: (value) => {
      this.values.duration(value)
    },
    event: (value) => {
      this.eventName(value)
    },
    where: (value) => {
      this.values.where(value)
    },
    last: (value) => {
      this.values.where(value)
    },
    within: (value) => {
      this.values.duration(value)
    },
    after: (value) => {
      this.values.time(value)
    },
    before: (value) => {
      this.values.time(value)
    },
    count: (value) => {
      this.amount(value)
    },
    bucket: (value) => {
      this.bucket(value)
    },
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

  private eventName(value: unknown): void {
    if (!isJsonObject(value)) {
      this.name(value)
      return
    }
    this.check.members(value, prefixForms, (_, text) => {
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
    this.check.members(count, countForms, (_, amount) => {
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
    this.check.members(bucket, bucketForms, (word, operand) => {
      if (word === 'salt') this.check.text(operand)
      else this.share(operand)
    })
  }

  private share(value: unknown): void {
    if (typeof value !== 'number') this.check.add('wrong_type', 'must be a number')
    else if (!(value >= 0 && value <= 100)) {
      this.check.add('number_out_of_range', 'must be a number from 0 to 100')
    }
  }
}
