import type { Detail, JsonValue } from './api-types.js'
import type { BatchRoute, KeyedItem, Outcomes, ResultOf } from './batch-route.js'
import { DossierError, faultOf } from './errors.js'
import { newKey, type CallOptions } from './requests.js'
import type { Answer, Transport } from './transport.js'

/** A message of Segment's protocol. The protocol defines further members. */
export interface Message {
  readonly type: 'identify' | 'track' | 'page' | 'screen' | 'group' | 'alias'
  readonly messageId?: string
  readonly userId?: string | number | null
  readonly anonymousId?: string | number | null
  readonly [other: string]: JsonValue | undefined
}

export type SentMessage = Message & { readonly messageId: string }

export type MessageResult = ResultOf<SentMessage, object>

/** The result of a message that was sent as JSON text. `item` is this text. */
export type JsonMessageResult = ResultOf<string, object>

/**
 * Sends messages with `POST /v1/batch`. The reply lists the messages that can never be stored.
 *
 * @internal
 */
export const trackedMessages: BatchRoute<Message, SentMessage, object> = {
  keyed(given): KeyedItem<SentMessage> {
    const item = { ...given, messageId: given.messageId ?? newKey() }
    const { userId, anonymousId } = item
    const entity = isThere(userId) ? String(userId) : `anon:${String(anonymousId)}`
    return { item, json: JSON.stringify(item), entity }
  },

  async send(
    transport: Transport,
    items: readonly KeyedItem<unknown>[],
    options: CallOptions,
  ): Promise<Outcomes<object>> {
    const json = `{"batch":[${items.map((one) => one.json).join(',')}]}`
    const path = '/v1/batch'
    const request = { kind: 'keyed', method: 'POST', path, json, alsoAnswered: 400 } as const
    const answer = await transport.answer(request, options).catch((error: unknown) => {
      // Marks the outcome as unknown. The service may have stored some of the messages, even if the
      // reply says that the request was not stored.
      throw error instanceof DossierError && error.isPassing ? error.after('unknown') : error
    })
    return { each: outcomesIn(answer, items.length), retryAfterMs: undefined }
  },
}

/** Returns whether an id is present. In the protocol, an empty id counts as missing. */
function isThere(id: string | number | null | undefined): boolean {
  return id !== undefined && id !== null && id !== ''
}

interface Refusals {
  readonly success: boolean
  readonly errors?: readonly (Detail & { readonly index: number })[]
  readonly request_id?: string
}

/**
 * Returns an outcome per message. Throws `DossierError` when the reply refuses the whole request or
 * has an unknown format.
 */
function outcomesIn({ response, body }: Answer, count: number): readonly (DossierError | object)[] {
  if (isRefusals(body)) {
    const { success, errors = [], request_id: requestId } = body
    if (success) return Array.from({ length: count }, () => ({}))
    const byIndex = new Map<number, Detail[]>()
    for (const { index, path, code, message } of errors) {
      byIndex.set(index, [...(byIndex.get(index) ?? []), { path, code, message }])
    }
    if (errors.length > 0) {
      return Array.from({ length: count }, (_, index) => refusedBy(byIndex.get(index), requestId))
    }
  }
  throw faultOf(response, body, true)
}

function refusedBy(details: readonly Detail[] | undefined, requestId: string | undefined): object {
  if (details === undefined) return {}
  const message = 'The message breaks the rules that the details list. It is not stored.'
  const code = 'validation_failed'
  return new DossierError({ code, message, status: 400, details, requestId, stored: 'no' })
}

function isRefusals(body: unknown): body is Refusals {
  return typeof body === 'object' && body !== null && 'success' in body
}
