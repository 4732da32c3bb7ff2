import type { Page, PageQuery } from './entity-types.js'

export interface NewErasure {
  readonly external_id: string
  /** Whether reuse of the external_id is blocked. Default: true. */
  readonly suppress?: boolean
  /** The names of up to 20 recipients that follow the facts and must confirm. No personal data. */
  readonly recipients?: readonly string[]
  /** Your own reference for the request. No personal data. */
  readonly reference?: string
}

/** A location that held facts of the entity, or a recipient. */
export interface ErasurePlace {
  readonly place: string
  readonly node?: string
  readonly state: 'waiting' | 'purged' | 'until_vacuum' | 'confirmed'
  readonly for?: 'active_chunk' | 'scavenge' | 'unreachable'
  readonly at?: string
  readonly verified?: string
}

/** The progress of an erasure. */
export interface ErasureReceipt {
  readonly erasure: string
  readonly entity_id: string
  readonly suppress: boolean
  readonly reference: string | null
  readonly requested_at: string
  /** When, and at which position, the entity was erased. Null: not recorded yet. */
  readonly effective: { readonly at: string; readonly position: string } | null
  /** Null: not yet. */
  readonly removed: {
    readonly facts: Readonly<Record<string, number>>
    readonly keys: number
    readonly memberships: number
    readonly at: string
  } | null
  readonly places: readonly ErasurePlace[]
  readonly suppression_lifted_at: string | null
  /** Data that the erasure does not reach. */
  readonly remains: readonly string[]
}

/** The data that an erasure would remove. */
export interface ErasureDryRun {
  readonly entity_id: string
  readonly facts: Readonly<Record<string, number>>
  readonly keys: number
  readonly segments: readonly string[]
}

export interface ErasureConfirmation {
  readonly recipient: string
  /** The position up to which the recipient has processed the facts. */
  readonly position: string
}

export interface ErasureOperations {
  eraseEntity: {
    query: { readonly dry_run?: boolean }
    body: NewErasure
    data: ErasureReceipt | ErasureDryRun
  }
  listErasures: { query: PageQuery; data: Page<ErasureReceipt> }
  getErasure: { data: ErasureReceipt }
  confirmErasure: { body: ErasureConfirmation; data: ErasureReceipt }
  liftSuppression: { data: ErasureReceipt }
}

export interface EntityErased {
  readonly erasureId: string
  /** The `entity_id` of the entity. Delete all data that you have of this entity. */
  readonly entityId: string
  readonly at: string
  readonly clock?: readonly { readonly fact: string; readonly at: string }[]
}

interface OfErasure {
  readonly erasureId: string
  readonly at: string
}

export interface ErasureFactData {
  readonly EntityErased: EntityErased
  readonly FactErased: { readonly at: string }
  readonly EntityErasureRecorded: {
    readonly entityId: string
    readonly suppress: boolean
    readonly recipients: readonly string[]
    readonly reference?: string
    /**
     * HMAC-SHA-256 of the external_id, keyed by the id of this fact, in hex. Only from stores that keep the
     * name.
     */
    readonly subject?: string
    readonly at: string
  }
  readonly ErasedFactsRemoved: OfErasure & {
    /** As in EntityErased: delete all data that you have of this entity. */
    readonly entityId?: string
    readonly closedAt: { readonly at: string; readonly position: string }
    readonly facts: Readonly<Record<string, number>>
    readonly keys: number
    readonly memberships: number
    readonly clock?: readonly { readonly fact: string; readonly at: string }[]
    readonly positions?: readonly string[]
  }
  readonly ErasurePlaceChecked: OfErasure & {
    readonly place: string
    readonly node?: string
    readonly state: 'waiting' | 'purged' | 'until_vacuum'
    readonly for?: 'active_chunk' | 'scavenge' | 'unreachable'
    readonly verified?: string
  }
  readonly ErasureConfirmed: OfErasure & { readonly recipient: string; readonly position: string }
  readonly ErasureSuppressionLifted: OfErasure
}
