import { isJsonArray, type Json } from '../../json.js'
import type { ValueTest } from './rule.js'

/**
 * Returns whether a value passes all members of a test. An undefined value is a missing value. Values are never
 * converted to another type.
 */
export function passes(test: ValueTest, value: Json | undefined): boolean {
  if (test.not !== undefined && passes(test.not, value)) return false
  if (value === undefined) return Object.keys(test).every((word) => passesMissing(test, word))
  return (
    test.exists !== false &&
    passesEqual(test, value) &&
    passesNumber(test, value) &&
    passesText(test, value)
  )
}

/** Returns whether a member of a test passes for a missing value. The caller has already handled `not`. */
function passesMissing({ exists }: ValueTest, word: string): boolean {
  return word === 'not' || (word === 'exists' && exists === false)
}

function passesEqual({ eq, in: listed, includes }: ValueTest, value: Json): boolean {
  if (eq !== undefined && value !== eq) return false
  if (listed !== undefined && !listed.some((item) => item === value)) return false
  return includes === undefined || (isList(value) && value.some((item) => item === includes))
}

function passesNumber({ gt, gte, lt, lte }: ValueTest, value: Json): boolean {
  if (typeof value !== 'number') return (gt ?? gte ?? lt ?? lte) === undefined
  return value > (gt ?? -Infinity) && value >= (gte ?? -Infinity) && isBelow(lt, lte, value)
}

function isBelow(lt = Infinity, lte = Infinity, value: number): boolean {
  return value < lt && value <= lte
}

function passesText({ starts_with: start, contains }: ValueTest, value: Json): boolean {
  if (start === undefined && contains === undefined) return true
  if (typeof value !== 'string') return false
  return value.startsWith(start ?? '') && value.includes(contains ?? '')
}

function isList(value: Json): value is readonly Json[] {
  return typeof value === 'object' && value !== null && isJsonArray(value)
}
