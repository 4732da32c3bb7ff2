import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { RawReply } from '../test/support/raw-connection.js'
import type { FoundFact } from './found-facts.js'
import { eventName, propertiesOf, type LoadRequest } from './requests.js'

/**
 * The part of a response that only the service can know. The id is `none` for entities and their changes, whose
 * responses have no id. For a void, the id is that of the event.
 */
export interface Said {
  readonly id: string
  readonly time: string
  /** The kind of the stored fact. */
  readonly fact: 'created' | 'changed' | 'recorded' | 'voided'
  /** The position, as decimal digits. */
  readonly position: string
}

interface Stored extends Pick<LoadRequest, 'entity' | 'keyed'> {
  readonly id: string
  readonly time: string
}

/** A stored fact, with the request that it belongs to. */
interface KeptContent extends Stored, Pick<LoadRequest, 'serial'> {
  readonly fact: Exclude<Said['fact'], 'voided'>
  readonly properties: Readonly<Record<string, unknown>>
}

/** A stored void. Its id is that of the event, which belongs to one request. */
interface KeptVoid extends Stored {
  readonly fact: 'voided'
}

export type Kept = KeptContent | KeptVoid

/** The kinds of facts that each kind of request can store. */
export const factsOf: Readonly<Record<LoadRequest['kind'], readonly Said['fact'][]>> = {
  entity: ['created'],
  event: ['recorded'],
  upsert: ['created', 'changed'],
  void: ['voided'],
}

const properties = z.record(z.string(), z.unknown())
const unset = z.tuple([z.literal('trial'), z.literal('coupon')])
const none = 'none'

const created = z
  .object({ data: z.object({ external_id: z.string(), properties, created_at: z.string() }) })
  .transform(({ data }) => ({
    fact: 'created' as const,
    id: none,
    time: data.created_at,
    entity: data.external_id,
    properties: data.properties,
  }))
const changed = z
  .object({
    data: z.object({ external_id: z.string(), set: properties, unset, updated_at: z.string() }),
  })
  .transform(({ data }) => ({
    fact: 'changed' as const,
    id: none,
    time: data.updated_at,
    entity: data.external_id,
    properties: data.set,
  }))
const recorded = z
  .object({
    data: z.object({
      id: z.uuid(),
      entity_external_id: z.string(),
      name: z.literal(eventName),
      properties,
      timestamp: z.string(),
    }),
  })
  .transform(({ data }) => ({
    fact: 'recorded' as const,
    id: data.id,
    time: data.timestamp,
    entity: data.entity_external_id,
    properties: data.properties,
  }))
const reply = z.union([created, changed, recorded])
const statusOf: Readonly<Record<KeptContent['fact'], number>> = {
  created: 201,
  changed: 200,
  recorded: 201,
}
const voided = z.object({ data: z.strictObject({ id: z.uuid(), voided_at: z.string() }) })

const creation = z
  .object({ externalId: z.string(), properties, createdAt: z.string() })
  .transform(({ externalId: entity, properties, createdAt: time }) => {
    return { fact: 'created' as const, entity, properties, time }
  })
const change = z
  .object({ externalId: z.string(), set: properties, unset, changedAt: z.string() })
  .transform(({ externalId: entity, set, changedAt: time }) => {
    return { fact: 'changed' as const, entity, properties: set, time }
  })
const recording = z
  .object({
    entityExternalId: z.string(),
    name: z.literal(eventName),
    properties,
    recordedAt: z.string(),
  })
  .transform(({ entityExternalId: entity, properties, recordedAt: time }) => {
    return { fact: 'recorded' as const, entity, properties, time }
  })
const factData = z.union([creation, change, recording])
const voiding = z.object({
  externalId: z.string(),
  eventId: z.uuid(),
  name: z.literal(eventName),
  voidedAt: z.string(),
})

const batch = z.object({
  data: z.object({
    results: z.array(
      z.looseObject({
        status: z.number(),
        position: z.string().optional(),
        replayed: z.boolean().optional(),
      }),
    ),
  }),
})
const failure = z.object({ error: z.object({ code: z.string() }) })
const serialIn = z.object({ serial: z.number() })

/** Parses a 2xx reply. Undefined when the reply does not match the request. */
export function readReply(
  request: LoadRequest,
  padding: string,
  { status, headers, body }: RawReply,
): Said | undefined {
  const position = headers['position'] ?? ''
  if (!/^[0-9]+$/.test(position)) return undefined
  if (request.kind === 'void') return readVoidReply(request, { status, position, body })
  const { data: read } = reply.safeParse(parsed(body))
  if (read?.entity !== request.entity) return undefined
  if (!factsOf[request.kind].includes(read.fact) || status !== statusOf[read.fact]) return undefined
  if (!isDeepStrictEqual(read.properties, propertiesOf(request.serial, padding))) return undefined
  return { id: read.id, time: read.time, fact: read.fact, position }
}

function readVoidReply(
  { voids }: LoadRequest,
  { status, position, body }: Pick<RawReply, 'status' | 'body'> & Pick<Said, 'position'>,
): Said | undefined {
  const { id, voided_at: time } = voided.safeParse(parsed(body)).data?.data ?? {}
  if (id !== voids || time === undefined || status !== 200) return undefined
  return { id, time, fact: 'voided', position }
}

/** Returns the error code in a reply. */
export function codeIn({ body }: RawReply): string {
  return failure.safeParse(parsed(body)).data?.error.code ?? 'without a code'
}

/**
 * Returns the result of each item of a batch, as replies to single requests. Undefined when the reply has another
 * format.
 */
export function repliesInBatch(
  { status, headers, body }: RawReply,
  items: number,
): readonly RawReply[] | undefined {
  const { results } = batch.safeParse(parsed(body)).data?.data ?? {}
  if (results?.length !== items || status !== (results.every(isStored) ? 200 : 207)) {
    return undefined
  }
  return results.map((result) => ({
    status: result.status,
    headers: {
      ...(headers['retry-after'] === undefined ? {} : { 'retry-after': headers['retry-after'] }),
      ...(result.position === undefined ? {} : { position: result.position }),
      ...(result.replayed === true ? { 'idempotency-replayed': 'true' } : {}),
    },
    body: JSON.stringify(result),
  }))
}

function isStored({ status }: { readonly status: number }): boolean {
  return status < 300
}

/** Parses a stored fact. Undefined when it does not belong to a run. */
export function readFact(found: FoundFact): Kept | undefined {
  const kept = readContent(found) ?? readVoid(found)
  return found.stream === `entity-${kept?.entity ?? ''}` ? kept : undefined
}

function readContent(found: FoundFact): KeptContent | undefined {
  const { data: read } = factData.safeParse(parsed(found.data))
  const serial = serialIn.safeParse(read?.properties).data?.serial
  if (read === undefined || serial === undefined) return undefined
  return { ...read, id: read.fact === 'recorded' ? found.id : none, keyed: isKeyed(found), serial }
}

function readVoid(found: FoundFact): KeptVoid | undefined {
  const { data: read } = voiding.safeParse(parsed(found.data))
  if (read === undefined) return undefined
  const { externalId: entity, eventId: id, voidedAt: time } = read
  return { fact: 'voided', id, time, entity, keyed: isKeyed(found) }
}

function isKeyed({ metadata }: FoundFact): boolean {
  return metadata.includes('"idempotencyKey"')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
