import { isDeepStrictEqual } from 'node:util'
import type { Endpoint } from './body-verdict.js'
import { expect, type ShownFault, type StoredData } from './reply-form.js'
import type { SentRequest } from './sent-request.js'

/** An acknowledged fact, as the response described it. */
export interface Acknowledged {
  readonly data: StoredData
  readonly position: string
}

export interface StoredRow {
  readonly position: string
  readonly id: string
  readonly data: unknown
}

const maxMessages = 60

/**
 * Records what a run was told: the acknowledged facts, and the requests that may be stored without a response.
 */
export class Account {
  readonly acknowledged = new Map<string, Acknowledged>()
  replayed = 0
  private readonly ids = new Set<string>()
  private readonly messages = new Set<string>()
  private readonly unanswered: { readonly endpoint: Endpoint; readonly fields: object }[] = []

  acknowledge(one: Acknowledged): void {
    expect(!this.acknowledged.has(one.position), `position ${one.position} was given before`)
    const id = 'id' in one.data ? one.data.id : undefined
    expect(id === undefined || !this.ids.has(id), 'an event id was given before')
    if (id !== undefined) this.ids.add(id)
    this.acknowledged.set(one.position, one)
  }

  /**
   * Records the messages of a fault. All messages are fixed texts, except for the place of an error in JSON. Many
   * different ones mean that a message repeats sent values.
   */
  heard({ message, details }: ShownFault): void {
    for (const text of [message, ...details.map((one) => one.message)]) {
      this.messages.add(text.replace(/line \d+, column \d+/, 'line, column'))
    }
    expect(this.messages.size <= maxMessages, `a message that is made of the request: ${message}`)
  }

  /** Records requests that were sent completely and whose responses nobody read. */
  mayBeStored(requests: readonly SentRequest[]): void {
    for (const { expectation } of requests) {
      const written = expectation.kind === 'batch' ? expectation.items : [expectation]
      for (const one of written) if (one.kind === 'write') this.unanswered.push(one)
    }
  }

  /** Compares the account with the stored facts. Returns one line per difference. */
  differences(rows: readonly StoredRow[]): readonly string[] {
    const wrong: string[] = []
    const left = new Map(this.acknowledged)
    for (const row of rows) {
      const said = left.get(row.position)
      left.delete(row.position)
      if (
        said === undefined
          ? !this.wasUnanswered(row)
          : !isDeepStrictEqual(row.data, factOf(said.data))
      ) {
        wrong.push(`stored, but not as answered: ${JSON.stringify(row).slice(0, 500)}`)
      } else if (said !== undefined && 'id' in said.data && said.data.id !== row.id) {
        wrong.push(`stored under another id: ${row.id}`)
      }
    }
    for (const lost of left.values()) wrong.push(`lost: ${JSON.stringify(lost).slice(0, 500)}`)
    return wrong
  }

  private wasUnanswered({ data }: StoredRow): boolean {
    return this.unanswered.some(({ endpoint, fields }) =>
      isDeepStrictEqual(contentOf(data), askedOf(endpoint, fields)),
    )
  }
}

/** Returns the data of the fact that a response describes. */
function factOf(data: StoredData): object {
  if ('created_at' in data) {
    const { external_id: externalId, properties, created_at, recorded_at: createdAt } = data
    // The generated times are years before the run.
    const own = created_at === createdAt ? undefined : created_at
    return { externalId, properties, createdAt, ...ownTime(own) }
  }
  const { entity_external_id: entityExternalId, name, properties, timestamp: recordedAt } = data
  return { entityExternalId, name, properties, recordedAt, ...ownTime(data.occurred_at) }
}

/** Returns a fact's data without its recording time. */
function contentOf(data: unknown): object {
  return { ...(typeof data === 'object' ? data : {}), createdAt: undefined, recordedAt: undefined }
}

function askedOf(endpoint: Endpoint, fields: object): object {
  const {
    external_id: externalId,
    entity_external_id: entityExternalId,
    name,
    properties,
    created_at: createdAt,
    occurred_at: occurredAt = createdAt,
  } = { ...fields } as Record<string, unknown>
  const asked = endpoint === '/entities' ? { externalId } : { entityExternalId, name }
  const content = { ...asked, properties: asJson(properties), ...ownTime(occurredAt) }
  return { ...content, createdAt: undefined, recordedAt: undefined }
}

function ownTime(occurredAt: unknown): object {
  return occurredAt === undefined ? {} : { occurredAt }
}

/** Returns the value after a round trip through JSON, in which -0 becomes 0. */
export function asJson(value: unknown): unknown {
  const again: unknown = JSON.parse(JSON.stringify(value))
  return again
}
