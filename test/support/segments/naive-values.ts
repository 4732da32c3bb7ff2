import type { Json } from '../../../src/domain/json.js'
import { parseInstant } from '../../../src/domain/instant.js'
import type { Flat, Rel, When, Where } from './rule-grammar.js'

const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

export function isDuration(text: string): boolean {
  return /^[1-9]\d{0,3}[mhdw]$/.test(text)
}

export function durationMs(text: string): number {
  return Number(text.slice(0, -1)) * (unitMs[text.slice(-1)] ?? Number.NaN)
}

/** Parses a day or an instant to milliseconds. Undefined for other texts. */
export function timeOf(text: string): number | undefined {
  const whole = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
  return parseInstant(whole)?.getTime()
}

/**
 * Returns the value at a JSON Pointer (RFC 6901). Undefined when there is none. Inherited members do not count.
 */
export function valueAt(document: Json, pointer: string): Json | undefined {
  let value: Json | undefined = document
  for (const part of pointer.split('/').slice(1)) {
    value = memberOf(value, part.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return value
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (value === undefined || value === null || typeof value !== 'object') return undefined
  if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(name)) return undefined
  return new Map<string, Json>(Object.entries(value)).get(name)
}

/** Returns whether a value passes the tests. `value` is undefined when there is none. */
export function passes(value: Json | undefined, flat: Flat): boolean {
  return (
    isThere(value, flat) &&
    isOneOf(value, flat) &&
    isNumber(value, flat) &&
    isText(value, flat) &&
    isList(value, flat) &&
    isNot(value, flat)
  )
}

function isThere(value: Json | undefined, { exists }: Flat): boolean {
  return exists === undefined || exists === (value !== undefined)
}

function isOneOf(value: Json | undefined, { eq, in: several }: Flat): boolean {
  const isEqual = eq === undefined || value === eq
  return isEqual && (several === undefined || several.some((scalar) => value === scalar))
}

function isNumber(value: Json | undefined, { gt, gte, lt, lte }: Flat): boolean {
  if ([gt, gte, lt, lte].every((bound) => bound === undefined)) return true
  if (typeof value !== 'number') return false
  const isAbove = (gt === undefined || value > gt) && (gte === undefined || value >= gte)
  return isAbove && (lt === undefined || value < lt) && (lte === undefined || value <= lte)
}

function isText(value: Json | undefined, { starts_with, contains }: Flat): boolean {
  if (starts_with === undefined && contains === undefined) return true
  if (typeof value !== 'string') return false
  return value.startsWith(starts_with ?? '') && value.includes(contains ?? '')
}

function isList(value: Json | undefined, { includes }: Flat): boolean {
  if (includes === undefined) return true
  return Array.isArray(value) && value.some((item: Json) => item === includes)
}

/** Returns whether `not` is satisfied: the test inside fails, also for a missing value. */
function isNot(value: Json | undefined, { not }: Flat): boolean {
  return not === undefined || !passes(value, not)
}

export function passesAll(document: Json, where: Where): boolean {
  return Object.entries(where).every(([pointer, flat]) => passes(valueAt(document, pointer), flat))
}

/** Returns whether an instant is strictly before or after another at log time `T`, in milliseconds. */
export function isRelative(instant: number, rel: Rel, T: number): boolean {
  if ('before' in rel) return instant < meant(rel.before, T)
  return instant > meant(rel.after, T)
}

function meant(when: When, T: number): number {
  if (typeof when === 'string') return timeOf(when) ?? Number.NaN
  if ('ago' in when) return T - durationMs(when.ago)
  return T + durationMs(when.ahead)
}
