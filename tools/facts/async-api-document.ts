import { erasedStream, erasuresStream } from '../../src/domain/erasures.js'
import { toStored } from '../../src/application/facts/fact-format.js'
import { factTable, type FactName } from '../../src/application/facts/fact-table.js'
import type { FactChannel } from '../../src/application/facts/fact-type.js'
import { valueDefinitions } from '../../src/application/facts/value-schemas.js'
import type { FactContext } from '../../src/application/facts/metadata.js'
import { entityStream } from '../../src/domain/entity.js'
import {
  clockStream,
  membersStream,
  segmentsStream,
} from '../../src/domain/segments/segment-facts.js'
import { webhookProgressStream, webhooksStream } from '../../src/domain/webhooks/webhook-facts.js'
import { metadataSchema, publishedVersions } from './json-schema.js'

/** The SHA-256 of `record-event order-1001`. */
const keyHash = 'db93d12486c53ac71c67e13483d20b5e3aa4b905c087ef6267e2dc2290ae5100'

/** The metadata of each example: an event has an idempotency key, and some facts were caused by another fact. */
const contexts: Readonly<Partial<Record<FactName, Partial<FactContext>>>> = {
  EventRecorded: { requestId: 'req-2', keyHash },
  SegmentBuilt: { causationId: factTable.SegmentDefined.example.id },
  EntityEnteredSegment: {
    requestId: 'req-2',
    causationId: factTable.EventRecorded.example.id,
  },
  EntityLeftSegment: { requestId: '01a1ff14-cf20-7d13-a2c4-91f7b6e0835d' },
  TimePassed: { requestId: '01a1ff14-cf22-7a51-93d7-64b08c9e2f15' },
}

const channels: Readonly<Record<FactChannel, object>> = {
  entity: {
    address: entityStream('{externalId}'),
    title: 'The stream of one entity',
    description:
      'EntityCreated comes first and once. The other facts follow in the order of commits.',
    parameters: {
      externalId: { description: 'The external_id, exactly as the caller sent it.' },
    },
  },
  segments: {
    address: segmentsStream,
    title: 'The definitions of all segments',
    description: 'The definitions and retirements of all segments.',
  },
  members: {
    address: membersStream('{segment}'),
    title: 'The membership changes of one segment',
    description:
      'Membership changes are derived from all other facts. Any process of the service publishes them.',
    parameters: { segment: { description: 'The key of the segment.' } },
  },
  clock: {
    address: clockStream,
    title: 'The passing of time',
    description:
      'Written when the passing of time changes the members of a segment and no other fact has a later time.',
  },
  erasures: {
    address: erasuresStream,
    title: 'The erasures of entities',
    description: 'The requested erasures and their progress, without names.',
  },
  erased: {
    address: erasedStream('{entityId}'),
    title: 'The places of the facts of one erased entity',
    description:
      'Only in stores that keep the positions of erased facts. Readers never get these facts.',
    parameters: { entityId: { description: "The id of the entity's creation fact." } },
  },
  webhooks: {
    address: webhooksStream,
    title: 'The definitions of all webhooks',
    description: 'The definitions and the pauses of webhooks. These facts contain no secret.',
  },
  progress: {
    address: webhookProgressStream,
    title: 'The progress of the webhooks',
    description: 'The process that sends, and the last delivered fact of each webhook.',
  },
}

const operations: Readonly<Record<FactChannel, readonly [name: string, title: string]>> = {
  entity: ['readFacts', 'Read the facts of an entity'],
  segments: ['readDefinitions', 'Read the definitions of segments'],
  members: ['readMembers', 'Read the membership changes of a segment'],
  clock: ['readClock', 'Read that time has passed'],
  erasures: ['readErasures', 'Read the erasures of entities'],
  erased: ['readErased', 'Read the places of the facts of an erased entity'],
  webhooks: ['readWebhooks', 'Read the definitions of webhooks'],
  progress: ['readProgress', 'Read the progress of webhooks'],
}

const channelNames = [
  'entity',
  'segments',
  'members',
  'clock',
  'erasures',
  'erased',
  'webhooks',
  'progress',
] as const

/** Every version of each type, because readers must be able to read all stored versions. */
const messages = Object.fromEntries(
  publishedVersions.map(({ type, version }) => [
    messageName(type, version),
    message(type, version),
  ]),
)

/** Returns the facts as an AsyncAPI 3.0 document, from the perspective of a service that reads them. */
export function asyncApiDocument(): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'The facts of Dossier',
      version: '1.0.0',
      description:
        'The facts of Dossier, as a service that follows them receives them. docs/facts.md says how to treat a ' +
        'repeated fact, an unknown type and a newer schemaVersion.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(
      channelNames.map((name) => [
        name,
        { ...channels[name], messages: references(name, '#/components/messages') },
      ]),
    ),
    operations: Object.fromEntries(
      channelNames.map((channel) => {
        const [name, title] = operations[channel]
        const messages = Object.values(references(channel, `#/channels/${channel}/messages`))
        return [
          name,
          { action: 'receive', title, channel: { $ref: `#/channels/${channel}` }, messages },
        ]
      }),
    ),
    components: {
      messages,
      schemas: {
        ...Object.fromEntries(
          publishedVersions.map(({ type, version, schema }) => [
            messageName(type, version),
            embedded(schema),
          ]),
        ),
        [messageName('Metadata', 1)]: embedded(metadataSchema),
        ...Object.fromEntries(
          Object.entries(valueDefinitions).map(([name, schema]) => [name, embedded(schema)]),
        ),
      },
    },
  }
}

/** Describes a version of a fact. Only the newest version has an example. */
function message(type: FactName, version: number): object {
  const { version: newest, isCurrent, newMember } = factTable[type]
  const { data, metadata } = exampleOf(type)
  const older = isCurrent(version)
    ? ` The version of a fact without ${String(newMember)}.`
    : ' Written by earlier versions of Dossier.'
  const writer = version === newest ? '' : older
  const example = { name: `${type}Example`, headers: metadata, payload: data }
  return {
    name: type,
    title: `${type}, version ${String(version)}`,
    summary: `${factTable[type].summary}${writer}`,
    contentType: 'application/json',
    correlationId: { location: '$message.header#/$correlationId' },
    headers: { $ref: `#/components/schemas/${messageName('Metadata', 1)}` },
    payload: { $ref: `#/components/schemas/${messageName(type, version)}` },
    ...(version === newest ? { examples: [example] } : {}),
  }
}

function messageName(type: string, version: number): string {
  return `${type}V${String(version)}`
}

/** Returns references to the messages of one channel. */
function references(
  channel: FactChannel,
  place: string,
): Readonly<Record<string, { $ref: string }>> {
  return Object.fromEntries(
    publishedVersions
      .filter(({ type }) => factTable[type].channel === channel)
      .map(({ type, version }) => messageName(type, version))
      .map((name) => [name, { $ref: `${place}/${name}` }]),
  )
}

/** Returns a schema whose references point inside this document. */
function embedded(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))
}

/** Returns a stored fact in the newest version of the type. */
export function exampleOf(type: FactName) {
  const context = { requestId: 'req-1', keyHash: undefined, ...contexts[type] }
  const stored = toStored(factTable[type].example, context)
  const [data, metadata] = [stored.data, stored.metadata].map((text) => JSON.parse(text) as unknown)
  return { id: stored.id, type, data, metadata }
}
