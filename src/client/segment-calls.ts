import type { DataOf } from './operations.js'
import type {
  CurveQuery,
  MemberChangesQuery,
  MembersQuery,
  PageQuery,
  PastQuery,
  SegmentDefinition,
} from './types.js'
import type {
  ChangedMember,
  Evaluation,
  Explanation,
  Member,
  MemberChange,
  MembersPage,
  PreviewRequest,
  RecordedChange,
  RetiredSegment,
  Segment,
  SegmentVersion,
} from './api-types.js'
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
import type { Transport } from './transport.js'

export interface VersionOptions extends CallOptions {
  /**
   * The version that the segment must have. `any` requires that the segment exists, and `none`
   * requires that it does not exist. If the requirement is not met, the error is 412.
   */
  readonly ifVersion?: number | 'any' | 'none' | undefined
}

/** Segments and their members. Every method throws `DossierError`. */
export class SegmentCalls {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /**
   * Defines a segment or changes its definition. An equal definition changes nothing. With
   * `ifVersion`, an attempt without a clear reply is not retried, and `stored` of the error is
   * `unknown`: read the segment and decide again.
   */
  define(
    key: string,
    definition: SegmentDefinition,
    options: VersionOptions = {},
  ): Promise<Segment> {
    const { ifVersion } = options
    return this.transport.send<'defineSegment'>(
      {
        // Sends no idempotency key: a repeated definition creates no second version.
        kind: ifVersion === undefined ? 'keyed' : 'once',
        method: 'PUT',
        path: pathOf(key),
        headers: condition(ifVersion),
        body: definition,
      },
      options,
    )
  }

  /** Retires a segment, which then has no members. An attempt without a clear reply is not retried. */
  retire(key: string, options: VersionOptions = {}): Promise<RetiredSegment> {
    const headers = condition(options.ifVersion)
    return this.transport.send<'retireSegment'>(
      { kind: 'once', method: 'DELETE', path: pathOf(key), headers },
      options,
    )
  }

  /**
   * Returns the definition of a segment, the progress of its backfill, and its number of members.
   * Error: 404 `segment_not_found`.
   */
  get(key: string, options: ReadOptions = {}): Promise<Segment> {
    return this.transport.send<'getSegment'>(reading(options, pathOf(key)), options)
  }

  /** Lists all live segments, sorted by key. */
  list(query: PageQuery = {}, options: ReadOptions = {}): Pages<Segment> {
    return new Pages((cursor) => {
      const path = withQuery('/segments', { ...query, cursor })
      return this.transport.send<'listSegments'>(reading(options, path), options)
    }, query.cursor)
  }

  /** Lists all versions of a segment, newest first. Also works for a retired segment. */
  versions(key: string, query: PageQuery = {}, options: ReadOptions = {}): Pages<SegmentVersion> {
    return new Pages((cursor) => {
      const path = withQuery(`${pathOf(key)}/versions`, { ...query, cursor })
      return this.transport.send<'listSegmentVersions'>(reading(options, path), options)
    }, query.cursor)
  }

  /**
   * Lists the members in the order in which the entities were created. Each page has the number and
   * the digest of all members.
   */
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

  /** Lists when entities entered and left the segment, with the causes, newest first. */
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

  /** Returns the number of members at the end of each UTC day, and now. */
  curve(
    key: string,
    query: CurveQuery = {},
    options: ReadOptions = {},
  ): Promise<DataOf<'getSegmentCurve'>> {
    const path = withQuery(`${pathOf(key)}/curve`, { ...query })
    return this.transport.send<'getSegmentCurve'>(reading(options, path), options)
  }

  /** Adds an entity to a segment by hand. */
  add(
    key: string,
    externalId: string,
    change: MemberChange = {},
    options: WriteOptions = {},
  ): Promise<ChangedMember> {
    const request = { ...keyed(options, 'PUT', memberPath(key, externalId)), body: change }
    return this.transport.send<'addToSegment'>(request, options)
  }

  /** Removes an entity from a segment by hand. */
  remove(
    key: string,
    externalId: string,
    change: MemberChange = {},
    options: WriteOptions = {},
  ): Promise<ChangedMember> {
    const path = withQuery(memberPath(key, externalId), { ...change })
    const request = keyed(options, 'DELETE', path)
    return this.transport.send<'removeFromSegment'>(request, options)
  }

  /** Explains whether an entity is a member, since when and until when, and for which reason. */
  explain(
    key: string,
    externalId: string,
    past: PastQuery = {},
    options: ReadOptions = {},
  ): Promise<Explanation> {
    const path = withQuery(`/entities/${step(externalId)}/segments/${step(key)}`, { ...past })
    return this.transport.send<'explainSegment'>(reading(options, path), options)
  }

  /**
   * Evaluates and explains a rule that is not stored, for up to 100 entities. The results are in
   * the order of the ids.
   */
  evaluate(evaluation: Evaluation, options: ReadOptions = {}): Promise<DataOf<'evaluateRule'>> {
    const request = {
      ...reading(options, '/segments/evaluate'),
      method: 'POST' as const,
      body: evaluation,
    }
    return this.transport.send<'evaluateRule'>(request, options)
  }

  /**
   * Previews a rule before it is saved: its members, and the entities that would enter and leave an
   * existing segment. Yields an estimate, progress, and the exact result: `for await (const {
   * event, data } of …)`, or `await ….result()`.
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

/** @internal */
export function condition(version: VersionOptions['ifVersion']): Record<string, string> {
  if (version === undefined) return {}
  if (version === 'none') return { 'if-none-match': '*' }
  return { 'if-match': version === 'any' ? '*' : `"${String(version)}"` }
}
