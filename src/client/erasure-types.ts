import type { Page, PageQuery } from './entity-types.js'

export interface NewErasure {
  readonly external_id: string
  /** Whether the external_id cannot be used again; true if nothing is said. */
  readonly suppress?: boolean
  /** Who follows the facts and is to confirm: 20 names at most. No personal data. */
  readonly recipients?: readonly string[]
  /** What you call the request. No personal data. */
  readonly reference?: string
}

/** Where facts of the person were, or a recipient. */
export interface ErasurePlace {
  readonly place: string
  readonly node?: string
  readonly state: 'waiting' | 'purged' | 'until_vacuum' | 'confirmed'
  readonly for?: 'active_chunk' | 'scavenge' | 'unreachable'
  readonly at?: string
  readonly verified?: string
}

/** How far an erasure has come. */
export interface ErasureReceipt {
  readonly erasure: string
  readonly entity_id: string
  readonly suppress: boolean
  readonly reference: string | null
  readonly requested_at: string
  /** Since when and where the person is not there; null: not recorded yet. */
  readonly effective: { readonly at: string; readonly position: string } | null
  /** null: not yet. */
  readonly removed: {
    readonly facts: Readonly<Record<string, number>>
    readonly keys: number
    readonly memberships: number
    readonly at: string
  } | null
  readonly places: readonly ErasurePlace[]
  readonly suppression_lifted_at: string | null
  /** What the erasure does not reach. */
  readonly remains: readonly string[]
}

/** What an erasure would remove. */
export interface ErasureDryRun {
  readonly entity_id: string
  readonly facts: Readonly<Record<string, number>>
  readonly keys: number
  readonly segments: readonly string[]
}

export interface ErasureConfirmation {
  readonly recipient: string
  /** Up to where it has processed the facts. */
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
  /** `entity_id` of the entity: delete all that you have of it. */
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
    /** HMAC-SHA-256 of the external_id under the id of this fact, in hex, of stores where the name stays. */
    readonly subject?: string
    readonly at: string
  }
  readonly ErasedFactsRemoved: OfErasure & {
    /** As at its EntityErased: delete all that you have of it. */
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
