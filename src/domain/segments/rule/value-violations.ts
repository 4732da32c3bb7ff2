import { isExact } from '../../properties.js'
import { isJsonObject } from '../../json.js'
import { formsOfOne, type ObjectForm } from './object-forms.js'
import { isPointer } from './pointer.js'
import type { RuleCheck } from './rule-check.js'
import { durationMs, timeMs } from './instant-test.js'

const maxTestDepth = 8
const maxListed = 100
const comparisons = ['gt', 'gte', 'lt', 'lte']
const texts = ['starts_with', 'contains']
const plainTests = ['eq', 'in', ...comparisons, ...texts, 'includes', 'exists']
const valueTests: readonly ObjectForm[] = [{ needs: [], takes: [...plainTests, 'not'] }]
const sides = ['before', 'after']
const instantTests = formsOfOne(...sides)
const anyTests = [...valueTests, ...instantTests]
const movingTimes = formsOfOne('ago', 'ahead')

/** Checks the value tests in a rule, and adds their violations to a `RuleCheck`. */
export class ValueChecks {
  constructor(private readonly check: RuleCheck) {}

  valueTest(value: unknown): void {
    this.test(value, valueTests, 1)
  }

  instantTest(value: unknown): void {
    this.test(value, instantTests, 1)
  }

  /** Checks a property test without `for`, which may test a value or an instant. */
  valueOrInstantTest(value: unknown): void {
    this.test(value, anyTests, 1)
  }

  private test(value: unknown, forms: readonly ObjectForm[], depth: number): void {
    const test = this.check.object(value)
    if (test === undefined) return
    if (depth > maxTestDepth) {
      this.check.add('too_deep', `must not be nested deeper than ${String(maxTestDepth)} tests`)
      return
    }
    this.check.members(test, forms, (name, operand) => {
      if (sides.includes(name)) this.boundary(operand)
      else if (name === 'not') this.test(operand, valueTests, depth + 1)
      else this.operand(name, operand)
    })
  }

  where(value: unknown): void {
    const tests = this.check.object(value)
    for (const [pointer, test] of Object.entries(tests ?? {})) {
      this.check.at(pointer, () => {
        this.pointer(pointer)
        // Reports only one mistake when a caller wrote a test such as `{ eq: 1 }` without a pointer.
        const isOperand = pointer === 'not' || !isJsonObject(test)
        if (isPointer(pointer) || !isOperand) this.valueTest(test)
      })
    }
  }

  pointer(value: unknown): void {
    const text = this.check.text(value)
    if (text === undefined || isPointer(text)) return
    this.check.add('bad_characters', 'must be a JSON Pointer, as in /plan or /address/city')
  }

  duration(value: unknown): void {
    const text = this.check.text(value)
    if (text === undefined || durationMs(text) !== undefined) return
    this.check.add('not_a_time', 'must be a duration of up to four digits, as in 30m, 12h, 7d, 2w')
  }

  time(value: unknown): void {
    const text = this.check.text(value)
    if (text === undefined || timeMs(text) !== undefined) return
    const message = 'must be a time with an offset, as in 2026-11-20T09:30:00Z, or a day'
    this.check.add('not_a_time', message)
  }

  private boundary(value: unknown): void {
    if (typeof value === 'string') {
      this.time(value)
      return
    }
    const moving = this.check.object(value)
    if (moving === undefined) return
    this.check.members(moving, movingTimes, (_, duration) => {
      this.duration(duration)
    })
  }

  private operand(name: string, operand: unknown): void {
    if (comparisons.includes(name)) this.number(operand)
    else if (texts.includes(name)) this.check.text(operand)
    else if (name === 'in') this.scalars(operand)
    else if (name === 'exists') this.boolean(operand)
    else this.scalar(operand)
  }

  private scalars(value: unknown): void {
    this.check.list(value, maxListed)?.forEach((item, at) => {
      this.check.at(at, () => {
        this.scalar(item)
      })
    })
  }

  private scalar(value: unknown): void {
    if (typeof value === 'string') this.check.text(value)
    else if (typeof value === 'number') this.number(value)
    else if (value !== null && typeof value !== 'boolean') {
      this.check.add('wrong_type', 'must be a string, a number, true, false or null')
    }
  }

  private boolean(value: unknown): void {
    if (typeof value !== 'boolean') this.check.add('wrong_type', 'must be true or false')
  }

  number(value: unknown): void {
    if (typeof value !== 'number') {
      this.check.add('wrong_type', 'must be a number')
    } else if (!isExact(value)) {
      this.check.add('number_out_of_range', 'must be a number within ±(2^53 − 1)')
    }
  }
}

/** Returns whether a JSON value has `before` or `after`. Only a test of an instant has these members. */
export function isInstantTest(value: unknown): boolean {
  return hasOneOf(value, sides)
}

/** Returns whether a JSON value has a member of a value test, such as `eq`. */
export function isValueTest(value: unknown): boolean {
  return hasOneOf(value, plainTests)
}

function hasOneOf(value: unknown, words: readonly string[]): boolean {
  return isJsonObject(value) && words.some((word) => Object.hasOwn(value, word))
}
