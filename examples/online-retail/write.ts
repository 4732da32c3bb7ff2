import type { Reply } from './http-client.js'

/** What the service is to store, as an item of `POST /batch` has it; its key makes it repeatable. */
export type Write = CustomerUpsert | EventRecording

interface CustomerUpsert {
  readonly op: 'update_entity'
  readonly idempotency_key: string
  readonly external_id: string
  readonly set: { readonly country: string }
  readonly upsert: true
}

interface EventRecording {
  readonly op: 'record_event'
  readonly idempotency_key: string
  readonly entity_external_id: string
  readonly name: string
  readonly properties: Readonly<Record<string, string | number>>
  readonly occurred_at: string
}

/** Sends a write once, alone or with others; no reply within the time rejects. */
export type SendOnce = (write: Write, timeoutMs: number) => Promise<Reply>
