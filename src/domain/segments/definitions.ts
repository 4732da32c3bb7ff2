import type { JsonObject } from '../json.js'
import { segmentsNamedIn } from './named-segments.js'
import type { SegmentDefined, SegmentKind, SegmentRetired } from './segment-facts.js'

/** A version of a segment. */
export interface SegmentVersion {
  readonly key: string
  readonly version: number
  readonly title: string
  readonly kind: SegmentKind
  /** Only a segment by rule has one. It may have the form of another evaluator. */
  readonly rule: JsonObject | undefined
  readonly evaluator: number
  /** UTC with milliseconds. */
  readonly definedAt: string
}

/** What the stream `segments` says so far. */
export interface Definitions {
  /** The segments that there are, by key. */
  readonly live: ReadonlyMap<string, SegmentVersion>
  /** The newest version of each key, also where it was retired. */
  readonly newest: ReadonlyMap<string, number>
}

export const noDefinitions: Definitions = { live: new Map(), newest: new Map() }

/** The definitions after some more facts of the stream, in its order. */
export function definitionsAfter(
  before: Definitions,
  facts: readonly (SegmentDefined | SegmentRetired)[],
): Definitions {
  const live = new Map(before.live)
  const newest = new Map(before.newest)
  for (const { type, data } of facts) {
    newest.set(data.segment, data.version)
    if (type === 'SegmentRetired') live.delete(data.segment)
    else live.set(data.segment, versionOf(data))
  }
  return { live, newest }
}

export function versionOf(data: SegmentDefined['data']): SegmentVersion {
  const { segment: key, version, title, kind, rule, evaluator, definedAt } = data
  return { key, version, title, kind, rule, evaluator, definedAt }
}

/** Whether the rule of another live segment names this one. */
export function isNamed({ live }: Definitions, key: string): boolean {
  return [...live.values()].some((other) => other.key !== key && names(other, key))
}

/** Whether the rule of one of these live segments leads to this one, over any number of others. */
export function leadsTo({ live }: Definitions, from: string, to: string): boolean {
  const seen = new Set<string>()
  const waiting = [from]
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (key === to) return true
    if (seen.has(key)) continue
    seen.add(key)
    const segment = live.get(key)
    if (segment?.rule !== undefined) waiting.push(...namedBy(segment.rule))
  }
  return false
}

function names({ rule }: SegmentVersion, key: string): boolean {
  return rule !== undefined && namedBy(rule).includes(key)
}

function namedBy(rule: JsonObject): readonly string[] {
  return segmentsNamedIn(rule).map((named) => named.key)
}
