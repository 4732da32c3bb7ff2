import type {
  BatchItem,
  ChangedEntity,
  CreatedEntity,
  EntityChange,
  EntityListQuery,
  EventListQuery,
  HistoryEntry,
  ListedEntity,
  ListedEvent,
  NewEntity,
  NewEvent,
  Page,
  PageQuery,
  PastQuery,
  Profile,
  Properties,
  RecordedEvent,
} from './entity-types.js'
import type { Fault } from './errors.js'
import type { FactsPage } from './fact-types.js'
import type { Key, Refusals, RefusalsQuery, ServiceStatus } from './service-types.js'
import type {
  ChangedMember,
  EntitySegments,
  EvaluatedEntity,
  Evaluation,
  Explanation,
  MemberChange,
  MembersPage,
  RetiredSegment,
  Segment,
  SegmentDefinition,
  SegmentVersion,
} from './segment-types.js'

/** What became of one item of `POST /batch`. */
export type ItemReply =
  | {
      readonly status: 200 | 201
      readonly data: Properties
      readonly position: string
      readonly replayed: boolean
    }
  | { readonly status: number; readonly error: Fault }

export interface BatchReply {
  readonly results: readonly ItemReply[]
  readonly counts: {
    readonly stored: number
    readonly replayed: number
    readonly refused: number
    readonly unknown: number
  }
}

export interface FactsQuery {
  readonly after?: string
  /** With commas. */
  readonly types?: string
  readonly entity?: string
  readonly limit?: number
}

export interface Health {
  readonly health: 'live' | 'ready'
}

/**
 * Every operation of the HTTP API by its name in `/openapi.json`: what its query and its body have, and
 * what it answers. A test holds these types against that document, member by member.
 */
export interface Operations {
  createEntity: { body: NewEntity; data: CreatedEntity }
  updateEntity: { body: EntityChange; data: ChangedEntity | CreatedEntity }
  getProfile: { query: PastQuery; data: Profile }
  listEntities: { query: EntityListQuery; data: Page<ListedEntity> }
  recordEvent: { body: NewEvent; data: RecordedEvent }
  getTimeline: { query: EventListQuery; data: Page<ListedEvent> }
  getHistory: { query: PageQuery; data: Page<HistoryEntry> }
  writeBatch: { body: { readonly items: readonly BatchItem[] }; data: BatchReply }
  readFacts: { query: FactsQuery; data: FactsPage }
  defineSegment: { body: SegmentDefinition; data: Segment }
  retireSegment: { data: RetiredSegment }
  getSegment: { data: Segment }
  listSegments: { data: { readonly items: readonly Segment[] } }
  listSegmentVersions: { data: { readonly items: readonly SegmentVersion[] } }
  listMembers: { query: PageQuery; data: MembersPage }
  addToSegment: { body: MemberChange; data: ChangedMember }
  removeFromSegment: { body: MemberChange; data: ChangedMember }
  getEntitySegments: { query: PastQuery; data: EntitySegments }
  explainSegment: { query: PastQuery; data: Explanation }
  evaluateRule: { body: Evaluation; data: { readonly items: readonly EvaluatedEntity[] } }
  getHealthLive: { data: Health }
  getHealthReady: { data: Health }
  getHealthReadyReads: { data: Health }
  getMetrics: { text: string }
  getOpenApi: { text: object }
  getKey: { data: Key }
  getStatus: { data: ServiceStatus }
  getRefusals: { query: RefusalsQuery; data: Refusals }
}

export type WithData = {
  [Name in keyof Operations]: Operations[Name] extends { data: object } ? Name : never
}[keyof Operations]

export type BodyOf<Name extends keyof Operations> = Operations[Name] extends { body: infer Body }
  ? Body
  : undefined

export type DataOf<Name extends WithData> = Operations[Name]['data']
