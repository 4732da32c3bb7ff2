import { toStored } from '../../src/application/facts/fact-format.js'
import { schemaVersion, valueDefinitions } from '../../src/application/facts/fact-schemas.js'
import { createEntity, entityStream, recordEvent, type Fact } from '../../src/domain/entity.js'
import { dataSchemas, metadataSchema } from './json-schema.js'

const now = new Date('2026-11-20T09:30:00.000Z')
/** SHA-256 of `record-event order-1001`. */
const keyHash = 'db93d12486c53ac71c67e13483d20b5e3aa4b905c087ef6267e2dc2290ae5100'

const [created] = createEntity({
  factId: '01a1ff14-cee6-75ec-8b91-d7fb3bbfa719',
  externalId: 'ada',
  properties: { plan: 'free' },
  now,
}).facts
const [recorded] = recordEvent({
  factId: '01a1ff14-cef4-759c-b22f-c801914d61ac',
  entityExternalId: 'ada',
  name: 'purchase',
  properties: { total: 12.5, items: ['tea', 'cup'] },
  now,
}).facts

/** One fact of each type, as it is stored. */
export const examples = {
  EntityCreated: example(created, 'req-1', undefined),
  EventRecorded: example(recorded, 'req-2', keyHash),
}
type FactType = keyof typeof examples

const messages = {
  [messageName('EntityCreated')]: message('EntityCreated', 'A customer or user became known.'),
  [messageName('EventRecorded')]: message('EventRecorded', 'An event was recorded.'),
}

/** The facts as an AsyncAPI 3.0 document, from the side of a service that reads them. */
export function asyncApiDocument(): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'The facts of Dossier',
      version: '1.0.0',
      description:
        'What a service that follows the facts of Dossier receives. docs/facts.md says what it ' +
        'has to do: how to treat a fact told twice, an unknown type, a newer schemaVersion.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    channels: {
      entity: {
        address: entityStream('{externalId}'),
        title: 'The stream of one entity',
        description: 'EntityCreated first and once, then EventRecorded, in the order of commits.',
        parameters: {
          externalId: { description: 'The external_id, exactly as the caller sent it.' },
        },
        messages: references('#/components/messages'),
      },
    },
    operations: {
      readFacts: {
        action: 'receive',
        title: 'Read the facts of an entity',
        channel: { $ref: '#/channels/entity' },
        messages: Object.values(references('#/channels/entity/messages')),
      },
    },
    components: {
      messages,
      schemas: {
        [messageName('EntityCreated')]: embedded(dataSchemas.EntityCreated),
        [messageName('EventRecorded')]: embedded(dataSchemas.EventRecorded),
        [messageName('Metadata')]: embedded(metadataSchema),
        ...Object.fromEntries(
          Object.entries(valueDefinitions).map(([name, schema]) => [name, embedded(schema)]),
        ),
      },
    },
  }
}

function message(type: FactType, summary: string): object {
  const { data, metadata } = examples[type]
  return {
    name: type,
    title: `${type}, version ${String(schemaVersion)}`,
    summary,
    contentType: 'application/json',
    correlationId: { location: '$message.header#/$correlationId' },
    headers: { $ref: `#/components/schemas/${messageName('Metadata')}` },
    payload: { $ref: `#/components/schemas/${messageName(type)}` },
    examples: [{ name: `${type}Example`, headers: metadata, payload: data }],
  }
}

function messageName(type: string): string {
  return `${type}V${String(schemaVersion)}`
}

function references(place: string): Readonly<Record<string, { $ref: string }>> {
  return Object.fromEntries(
    Object.keys(messages).map((name) => [name, { $ref: `${place}/${name}` }]),
  )
}

/** A schema with its references as they are inside this document. */
function embedded(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))
}

function example(fact: Fact, requestId: string, hash: string | undefined) {
  const { id, type, data, metadata } = toStored(fact, { requestId, keyHash: hash })
  return { id, type, data: JSON.parse(data) as unknown, metadata: JSON.parse(metadata) as unknown }
}
