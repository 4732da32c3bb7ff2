import { isPointer } from './pointer.js'
import type { Members, RuleCheck } from './rule-check.js'
import { durationMs, timeMs } from './time-values.js'

const maxListed = 100
const comparisons = ['gt', 'gte', 'lt', 'lte']
const texts = ['starts_with', 'contains']
const operators = ['eq', 'in', ...comparisons, ...texts, 'includes', 'exists']
const sides = ['before', 'after']
const movingTimes = ['ago', 'ahead']

/** Finds what is wrong with the tests of values in a rule. */
export class ValueChecks {
  constructor(private readonly check: RuleCheck) {}

  valueTest(value: unknown): void {
    const test = this.check.object(value)
    if (test === undefined) return
    this.check.allow(test, operators)
    if (!operators.some((name) => Object.hasOwn(test, name))) {
      this.check.add('required', `must have at least one of ${operators.join(', ')}`)
    }
    for (const [name, operand] of Object.entries(test)) {
      this.check.at(name, () => {
        this.operand(name, operand)
      })
    }
  }

  /** Of a property without `for`: either kind of test. */
  valueOrInstantTest(value: unknown): void {
    const test = this.check.object(value)
    if (test === undefined) return
    if (isInstantTest(test)) this.instantTest(test)
    else this.valueTest(test)
  }

  instantTest(value: unknown): void {
    const test = this.check.object(value)
    if (test === undefined) return
    this.check.allow(test, sides)
    const side = this.check.oneOf(test, sides)
    if (side === undefined) return
    this.check.at(side, () => {
      this.boundary(test[side])
    })
  }

  where(value: unknown): void {
    const tests = this.check.object(value)
    for (const [pointer, test] of Object.entries(tests ?? {})) {
      this.check.at(pointer, () => {
        this.pointer(pointer)
        this.valueTest(test)
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
    this.check.allow(moving, movingTimes)
    const direction = this.check.oneOf(moving, movingTimes)
    if (direction === undefined) return
    this.check.at(direction, () => {
      this.duration(moving[direction])
    })
  }

  private operand(name: string, operand: unknown): void {
    if (comparisons.includes(name)) this.number(operand)
    else if (texts.includes(name)) this.check.text(operand)
    else if (name === 'in') this.scalars(operand)
    else if (name === 'exists') this.boolean(operand)
    else if (operators.includes(name)) this.scalar(operand)
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
    } else if (
      !Number.isFinite(value) ||
      (Number.isInteger(value) && !Number.isSafeInteger(value))
    ) {
      this.check.add('number_out_of_range', 'must be a number within ±(2^53 − 1)')
    }
  }
}

function isInstantTest(test: Members): boolean {
  return sides.some((side) => Object.hasOwn(test, side))
}
