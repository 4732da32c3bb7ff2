import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { RawReply } from '../test/support/raw-connection.js'
import type { FoundFact } from './found-facts.js'
import { eventName, propertiesOf, type DrillRequest } from './requests.js'

/** What only the service knows of a request. An entity has no id of its own: `entity`. */
export interface Said {
  readonly id: string
  readonly time: string
  /** Digits. */
  readonly position: string
}

/** A fact, in the words of the request that it belongs to. */
interface Kept extends Omit<Said, 'position'>, DrillRequest {
  readonly properties: Readonly<Record<string, unknown>>
}

const properties = z.record(z.string(), z.unknown())
const created = z.object({
  data: z.object({ external_id: z.string(), properties, created_at: z.string() }),
})
const recorded = z.object({
  data: z.object({
    id: z.uuid(),
    entity_external_id: z.string(),
    name: z.literal(eventName),
    properties,
    timestamp: z.string(),
  }),
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
const creation = z.object({ externalId: z.string(), properties, createdAt: z.string() })
const recording = z.object({
  entityExternalId: z.string(),
  name: z.literal(eventName),
  properties,
  recordedAt: z.string(),
})

/** What a 201 says; undefined when it is not the reply to this request. */
export function readReply(
  request: DrillRequest,
  padding: string,
  { headers, body }: RawReply,
): Said | undefined {
  const read = request.kind === 'entity' ? creationIn(body) : recordingIn(body)
  const position = headers['position'] ?? ''
  if (read?.entity !== request.entity || !/^[0-9]+$/.test(position)) return undefined
  if (!isDeepStrictEqual(read.properties, propertiesOf(request.serial, padding))) return undefined
  return { id: read.id, time: read.time, position }
}

/** The code of a fault. */
export function codeIn({ body }: RawReply): string {
  return failure.safeParse(parsed(body)).data?.error.code ?? 'without a code'
}

/** What each item of a batch was answered, as replies to single requests; undefined of another form. */
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

/** Undefined when it is no fact of a drill. */
export function readFact(fact: FoundFact): Kept | undefined {
  const content: unknown = parsed(fact.data)
  const read = creation.safeParse(content).data ?? recording.safeParse(content).data
  if (read === undefined) return undefined
  const serial = serialIn.safeParse(read.properties).data?.serial
  const isCreation = 'externalId' in read
  const entity = isCreation ? read.externalId : read.entityExternalId
  if (serial === undefined || fact.stream !== `entity-${entity}`) return undefined
  return {
    id: isCreation ? 'entity' : fact.id,
    time: isCreation ? read.createdAt : read.recordedAt,
    kind: isCreation ? 'entity' : 'event',
    entity,
    keyed: fact.metadata.includes('"idempotencyKey"'),
    serial,
    properties: read.properties,
  }
}

function creationIn(body: string) {
  const data = created.safeParse(parsed(body)).data?.data
  if (data === undefined) return undefined
  return {
    id: 'entity',
    time: data.created_at,
    entity: data.external_id,
    properties: data.properties,
  }
}

function recordingIn(body: string) {
  const data = recorded.safeParse(parsed(body)).data?.data
  if (data === undefined) return undefined
  const { id, timestamp: time, entity_external_id: entity } = data
  return { id, time, entity, properties: data.properties }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
