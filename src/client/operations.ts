import type { BatchItem, EntityOperations, Properties } from './entity-types.js'
import type { ErasureOperations } from './erasure-types.js'
import type { Fault } from './errors.js'
import type { FactsPage } from './fact-types.js'
import type { Key, Refusals, RefusalsQuery, ServiceStatus } from './service-types.js'
import type { PreviewRequest } from './preview-types.js'
import type { SegmentOperations } from './segment-types.js'

/** The outcome of one item of `POST /batch`. */
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
  /** Separated by commas. */
  readonly types?: string
  readonly entity?: string
  readonly limit?: number
}

export interface Health {
  readonly health: 'live' | 'ready'
}

/**
 * All operations of the HTTP API by their names in `/openapi.json`, with query, body and reply. A test
 * compares these types with that document.
 */
export interface Operations extends EntityOperations, SegmentOperations, ErasureOperations {
  previewRule: { body: PreviewRequest; text: string }
  writeBatch: { body: { readonly items: readonly BatchItem[] }; data: BatchReply }
  readFacts: { query: FactsQuery; data: FactsPage }
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
