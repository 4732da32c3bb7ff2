import type { JsonObject } from '../json.js'
import { dependencyOrder, segmentsNamedBy } from './named-segments.js'
import type { SegmentDefined, SegmentKind, SegmentRetired } from './segment-facts.js'

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

/** Whether the rule of another live segment names this one. */
export function isNamed({ live }: Definitions, key: string): boolean {
  return [...live.values()].some((other) => other.key !== key && namedBy(other).has(key))
}

/** Whether the rule of a live segment leads to another one, over any number of others. */
export function leadsTo({ live }: Definitions, from: string, to: string): boolean {
  return dependencyOrder([from], (key) => namedBy(live.get(key))).has(to)
}

function namedBy(segment: SegmentVersion | undefined): ReadonlySet<string> {
  return segment?.rule === undefined ? new Set() : segmentsNamedBy(segment.rule)
}

/** What a caller wants to be true of a live segment before it is changed. */
export interface Precondition {
  /** It has one of these versions; `any`: it is live. */
  readonly match?: 'any' | readonly number[] | undefined
  /** It has none of these versions; `any`: it is not live. */
  readonly noneMatch?: 'any' | readonly number[] | undefined
}

/** `version`: of the live segment; undefined when there is none. */
export function holds({ match, noneMatch }: Precondition, version: number | undefined): boolean {
  if (match !== undefined && !isAmong(match, version)) return false
  return noneMatch === undefined || !isAmong(noneMatch, version)
}

function isAmong(versions: 'any' | readonly number[], version: number | undefined): boolean {
  if (version === undefined) return false
  return versions === 'any' || versions.includes(version)
}
