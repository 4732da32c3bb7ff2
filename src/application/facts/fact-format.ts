import { z } from 'zod'
import type { EntityCreated, EventRecorded, Fact } from '../../domain/entity.js'
import { keyFormat } from './fact-limits.js'
import {
  entityCreatedData,
  eventRecordedData,
  factMetadata,
  schemaVersion,
  type FactData,
} from './fact-schemas.js'
import type { StoredFact } from '../facts/stored-fact.js'

export interface FactContext {
  /** The id of the request that caused the fact. */
  readonly requestId: string
  /** SHA-256 of command and key, 64 hex digits; absent for an append without a key. */
  readonly keyHash: string | undefined
}

/** A stored fact of ours whose text is not what this version, or any before it, has written. */
export class UnreadableFact extends Error {
  readonly code = 'unreadable_fact'
  override readonly name = 'UnreadableFact'
}

/** The fact in the newest version of its form. */
export function toStored(fact: Fact, { requestId, keyHash }: FactContext): StoredFact {
  const data: FactData = fact.data
  const metadata: z.input<typeof factMetadata> = {
    schemaVersion,
    $correlationId: requestId,
    ...(keyHash === undefined ? {} : { idempotencyKey: keyHash }),
  }
  return {
    id: fact.id,
    type: fact.type,
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
  }
}

/** Undefined when it is a fact of another type. Throws `UnreadableFact` when its text is not ours. */
export function readEntityCreated(stored: StoredFact): EntityCreated | undefined {
  if (stored.type !== 'EntityCreated') return undefined
  return { id: stored.id, type: stored.type, data: read(stored, entityCreatedData) }
}

/** Undefined when it is a fact of another type. Throws `UnreadableFact` when its text is not ours. */
export function readEventRecorded(stored: StoredFact): EventRecorded | undefined {
  if (stored.type !== 'EventRecorded') return undefined
  return { id: stored.id, type: stored.type, data: read(stored, eventRecordedData) }
}

/** The hash of the idempotency key that a fact was stored under, whatever else its metadata says. */
export function keyHashIn(metadata: string): string | undefined {
  const key = keyOnly.safeParse(parse(metadata)).data?.idempotencyKey
  return key !== undefined && keyFormat.test(key) ? key : undefined
}

const keyOnly = z.object({ idempotencyKey: z.string() })

function read<T>(stored: StoredFact, schema: z.ZodType<T>): T {
  const metadata = factMetadata.safeParse(parse(stored.metadata))
  const data = schema.safeParse(parse(stored.data))
  if (metadata.success && data.success) return data.data
  throw new UnreadableFact(`fact ${stored.id} does not have the form of its type and version`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
