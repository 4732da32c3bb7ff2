import type { JsonObject } from '../json.js'
import { dependencyOrder, segmentsNamedBy } from './named-segments.js'
import type { SegmentDefined, SegmentKind, SegmentRetired } from './segment-facts.js'

export interface SegmentVersion {
  readonly key: string
  readonly version: number
  readonly title: string
  readonly kind: SegmentKind
  /** The rule. Present when `kind` is `rule`. It may use the syntax of another evaluator version. */
  readonly rule: JsonObject | undefined
  readonly evaluator: number
  /** The time of the definition: UTC with milliseconds. */
  readonly definedAt: string
}

/** The state of the stream `segments`. */
export interface Definitions {
  /** The segments that are not retired, by key. */
  readonly live: ReadonlyMap<string, SegmentVersion>
  /** The newest version number of each key. Includes the keys of retired segments. */
  readonly newest: ReadonlyMap<string, number>
}

export class RecordedDefinitions implements Definitions {
  readonly live = new Map<string, SegmentVersion>()
  readonly newest = new Map<string, number>()

  /** Adds the next fact of the stream. */
  add({ type, data }: SegmentDefined | SegmentRetired): void {
    this.newest.set(data.segment, data.version)
    if (type === 'SegmentRetired') this.live.delete(data.segment)
    else this.live.set(data.segment, versionOf(data))
  }
}

export function versionOf(data: SegmentDefined['data']): SegmentVersion {
  const { segment: key, version, title, kind, rule, evaluator, definedAt } = data
  return { key, version, title, kind, rule, evaluator, definedAt }
}

/** Returns whether the rule of another live segment names the segment `key`. */
export function isNamed({ live }: Definitions, key: string): boolean {
  return [...live.values()].some((other) => other.key !== key && namedBy(other).has(key))
}

/** Returns whether the rule of the live segment `from` depends on the segment `to`, directly or indirectly. */
export function leadsTo({ live }: Definitions, from: string, to: string): boolean {
  return dependencyOrder([from], (key) => namedBy(live.get(key))).has(to)
}

function namedBy(segment: SegmentVersion | undefined): ReadonlySet<string> {
  return segment?.rule === undefined ? new Set() : segmentsNamedBy(segment.rule)
}

/**
 * A caller's condition on the live version of a segment (`If-Match`, `If-None-Match`). A change is refused
 * unless the condition is met.
 */
export interface Precondition {
  /** Requires that the live version is one of these versions. `any` requires that a live version exists. */
  readonly match?: 'any' | readonly number[] | undefined
  /** Requires that the live version is none of these versions. `any` requires that no live version exists. */
  readonly noneMatch?: 'any' | readonly number[] | undefined
}

/** Returns whether the condition is met. `version` is the live version, or undefined when the segment is not live. */
export function meetsPrecondition(
  { match, noneMatch }: Precondition,
  version: number | undefined,
): boolean {
  if (match !== undefined && !isAmong(match, version)) return false
  return noneMatch === undefined || !isAmong(noneMatch, version)
}

function isAmong(versions: 'any' | readonly number[], version: number | undefined): boolean {
  if (version === undefined) return false
  return versions === 'any' || versions.includes(version)
}
