import type { PastQuery } from './entity-types.js'
import type { DataOf } from './operations.js'
import { Pages } from './pages.js'
import { Preview } from './preview.js'
import {
  keyed,
  reading,
  step,
  withQuery,
  type CallOptions,
  type ReadOptions,
  type WriteOptions,
} from './requests.js'
import type {
  ChangedMember,
  CurveQuery,
  Evaluation,
  Explanation,
  Member,
  MemberChange,
  MemberChangesQuery,
  MembersPage,
  MembersQuery,
  RecordedChange,
  RetiredSegment,
  Segment,
  SegmentDefinition,
} from './segment-types.js'
import type { PreviewRequest } from './preview-types.js'
import type { Transport } from './transport.js'

export interface VersionOptions extends CallOptions {
  /** Only where the segment has this version; `any`: where it is there; `none`: where it is not. Else 412. */
  readonly ifVersion?: number | 'any' | 'none' | undefined
}

/** Segments and their members. Every method throws `DossierError`. */
export class SegmentCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Makes the segment what the definition says: new, changed, or as it was. With `ifVersion` an attempt
   * without a clear reply is not repeated (`stored` is `unknown`): read the segment, and decide again.
   */
  define(
    key: string,
    definition: SegmentDefinition,
    options: VersionOptions = {},
  ): Promise<Segment> {
    const { ifVersion } = options
    return this.transport.send<'defineSegment'>(
      {
        // The same definition twice is one version, so it needs no key.
        kind: ifVersion === undefined ? 'keyed' : 'once',
        method: 'PUT',
        path: pathOf(key),
        headers: condition(ifVersion),
        body: definition,
      },
      options,
    )
  }

  /** It has no members from there on. An attempt without a clear reply is not repeated. */
  retire(key: string, options: VersionOptions = {}): Promise<RetiredSegment> {
    const headers = condition(options.ifVersion)
    return this.transport.send<'retireSegment'>(
      { kind: 'once', method: 'DELETE', path: pathOf(key), headers },
      options,
    )
  }

  /** How it is defined, how far its build is, how many are in it. 404 `segment_not_found`. */
  get(key: string, options: ReadOptions = {}): Promise<Segment> {
    return this.transport.send<'getSegment'>(reading(options, pathOf(key)), options)
  }

  /** All that are defined. */
  list(options: ReadOptions = {}): Promise<DataOf<'listSegments'>> {
    return this.transport.send<'listSegments'>(reading(options, '/segments'), options)
  }

  /** All versions, newest first; those of a retired one too. */
  versions(key: string, options: ReadOptions = {}): Promise<DataOf<'listSegmentVersions'>> {
    const request = reading(options, `${pathOf(key)}/versions`)
    return this.transport.send<'listSegmentVersions'>(request, options)
  }

  /** Who is in it, in the order of creation. Each page has the number and the digest of all. */
  members(
    key: string,
    query: MembersQuery = {},
    options: ReadOptions = {},
  ): Pages<Member, MembersPage> {
    return new Pages((cursor) => {
      const path = withQuery(`${pathOf(key)}/members`, { ...query, cursor })
      return this.transport.send<'listMembers'>(reading(options, path), options)
    }, query.cursor)
  }

  /** Who entered it and left it, newest first, and why. */
  changes(
    key: string,
    query: MemberChangesQuery = {},
    options: ReadOptions = {},
  ): Pages<RecordedChange> {
    return new Pages((cursor) => {
      const path = withQuery(`${pathOf(key)}/changes`, { ...query, cursor })
      return this.transport.send<'listMemberChanges'>(reading(options, path), options)
    }, query.cursor)
  }

  /** How many members it had at the end of each day by UTC, and has now. */
  curve(
    key: string,
    query: CurveQuery = {},
    options: ReadOptions = {},
  ): Promise<DataOf<'getSegmentCurve'>> {
    const path = withQuery(`${pathOf(key)}/curve`, { ...query })
    return this.transport.send<'getSegmentCurve'>(reading(options, path), options)
  }

  /** Puts an entity into a segment by hand. */
  add(
    key: string,
    externalId: string,
    change: MemberChange = {},
    options: WriteOptions = {},
  ): Promise<ChangedMember> {
    const request = { ...keyed(options, 'PUT', memberPath(key, externalId)), body: change }
    return this.transport.send<'addToSegment'>(request, options)
  }

  /** Takes an entity out of a segment by hand. */
  remove(
    key: string,
    externalId: string,
    change: MemberChange = {},
    options: WriteOptions = {},
  ): Promise<ChangedMember> {
    const request = { ...keyed(options, 'DELETE', memberPath(key, externalId)), body: change }
    return this.transport.send<'removeFromSegment'>(request, options)
  }

  /** Whether an entity is in a segment, since and until when, and why; also for one that is not. */
  explain(
    key: string,
    externalId: string,
    past: PastQuery = {},
    options: ReadOptions = {},
  ): Promise<Explanation> {
    const path = withQuery(`/entities/${step(externalId)}/segments/${step(key)}`, { ...past })
    return this.transport.send<'explainSegment'>(reading(options, path), options)
  }

  /** The same of a rule that is not stored, for up to 100 entities, in the order of their ids. */
  evaluate(evaluation: Evaluation, options: ReadOptions = {}): Promise<DataOf<'evaluateRule'>> {
    const request = {
      ...reading(options, '/segments/evaluate'),
      method: 'POST' as const,
      body: evaluation,
    }
    return this.transport.send<'evaluateRule'>(request, options)
  }

  /**
   * How many a rule would catch, who, and who would enter and leave a segment, before it is saved: an
   * estimate, how far it is, and the exact result as the last one. `for await (const { event, data } of …)`,
   * or `await ….result()`.
   */
  preview(request: PreviewRequest, options: ReadOptions = {}): Preview {
    return new Preview(this.transport, request, options)
  }
}

function pathOf(key: string): string {
  return `/segments/${step(key)}`
}

function memberPath(key: string, externalId: string): string {
  return `${pathOf(key)}/members/${step(externalId)}`
}

function condition(version: VersionOptions['ifVersion']): Record<string, string> {
  if (version === undefined) return {}
  if (version === 'none') return { 'if-none-match': '*' }
  return { 'if-match': version === 'any' ? '*' : `"${String(version)}"` }
}
