import { readdirSync, readFileSync } from 'node:fs'
import specs from '@asyncapi/specs'
import { describe, expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { z } from 'zod'
import { factTable } from '../../../src/application/facts/fact-table.js'
import { exampleOf } from '../../../tools/facts/async-api-document.js'
import { factDocuments } from '../../../tools/facts/fact-documents.js'
import { FactSchemas } from '../../support/fact-schemas.js'

const folder = 'docs/facts'
const committed = (name: string) => readFileSync(`${folder}/${name}`, 'utf8')
const jsonObject = z.record(z.string(), z.unknown())
const examples = Object.values(factTable).map(({ type, version }) => ({
  version,
  ...exampleOf(type),
}))
const asyncApi = jsonObject.parse(JSON.parse(committed('asyncapi.json')))

describe('the published documents', () => {
  test.each([...factDocuments()])('contain %s as `npm run generate` writes it', (name, text) => {
    expect(committed(name)).toBe(text)
  })

  test('describe each member by a noun, and not by a clause', () => {
    const texts = [...factDocuments().values()].flatMap(
      (text) => text.match(/(?<="(?:description|title)": ")[^"]+/g) ?? [],
    )
    const clause = /^(?:(?:What|Who|Whose|Where|When|Which|How|Why)\b|Its? |Of )/
    expect(texts.filter((text) => clause.test(text))).toEqual([])
    expect(texts.length).toBeGreaterThan(100)
  })

  test('are complete, without further files', () => {
    expect(readdirSync(folder).sort()).toEqual([...factDocuments().keys()].sort())
  })
})

describe('the AsyncAPI document', () => {
  const ajv = new Ajv({ strict: false, allErrors: true })
  formats.default(ajv)
  const isAsyncApi = ajv.compile(jsonObject.parse(specs.schemasWithoutId['3.0.0']))

  test('is valid by the AsyncAPI 3.0 schema', () => {
    isAsyncApi(asyncApi)
    expect(isAsyncApi.errors).toBeNull()
  })

  test.each([
    ['without a version', { info: { title: 'x' } }],
    ['with an operation that neither sends nor receives', { operations: { x: { action: 'ask' } } }],
    ['with a channel of another form', { channels: { entity: { address: 1 } } }],
    ['with a schema of another form', { components: { schemas: { X: { type: 'text' } } } }],
  ])('would be refused by the schema %s', (_what, part) => {
    expect(isAsyncApi({ ...asyncApi, ...part })).toBe(false)
  })

  test('has no reference without a target', () => {
    const pointers = [...committed('asyncapi.json').matchAll(/"\$ref": "#\/([^"]+)"/g)]
    expect(pointers.length).toBeGreaterThan(10)
    for (const [, path = ''] of pointers) expect(asyncApi).toHaveProperty(path.split('/'))
  })

  test.each(examples)(
    'has a schema that accepts the example of $type',
    ({ type, version, data, metadata }) => {
      const document = new Ajv({ strict: false }).addSchema({ ...asyncApi }, 'facts')
      formats.default(document)
      const name = `${type}V${String(version)}`
      const keeps = (schema: string, value: unknown) =>
        document.validate({ $ref: `facts#/components/schemas/${schema}` }, value)
      expect([keeps(name, data), keeps('MetadataV1', metadata)]).toEqual([true, true])
      expect([keeps(name, metadata), keeps('MetadataV1', data)]).toEqual([false, false])
      expect(asyncApi).toHaveProperty(
        ['components', 'messages', name, 'examples'],
        [{ name: `${type}Example`, headers: metadata, payload: data }],
      )
    },
  )
})

test('the AsyncAPI document has a message for every version of every type', () => {
  const names = Object.values(factTable).flatMap(({ type, schemas }) =>
    schemas.map((_, at) => `${type}V${String(at + 1)}`),
  )
  for (const name of names) {
    expect(asyncApi).toHaveProperty(`components.messages.${name}`)
    expect(asyncApi).toHaveProperty(`components.schemas.${name}`)
  }
})

test('the AsyncAPI document names the stream of each type', () => {
  const { channels } = z
    .object({
      channels: z.record(
        z.string(),
        z.object({ address: z.string(), messages: z.record(z.string(), z.unknown()) }),
      ),
    })
    .parse(asyncApi)
  expect(
    Object.values(channels).map(({ address, messages }) => [address, Object.keys(messages)]),
  ).toEqual([
    [
      'entity-{externalId}',
      [
        'EntityCreatedV1',
        'EntityCreatedV2',
        'EntityPropertiesChangedV1',
        'EntityPropertiesChangedV2',
        'EventRecordedV1',
        'EventRecordedV2',
        'EventVoidedV1',
        'EntityAddedToSegmentV1',
        'EntityRemovedFromSegmentV1',
        'EntityErasedV1',
      ],
    ],
    ['segments', ['SegmentDefinedV1', 'SegmentRetiredV1']],
    [
      'members-{segment}',
      [
        'SegmentBuiltV1',
        'EntityEnteredSegmentV1',
        'EntityEnteredSegmentV2',
        'EntityLeftSegmentV1',
        'EntityLeftSegmentV2',
        'EntityLeftSegmentV3',
      ],
    ],
    ['dossier-clock', ['TimePassedV1']],
    [
      'erasures',
      [
        'EntityErasureRecordedV1',
        'EntityErasureRecordedV2',
        'EntityErasureRecordedV3',
        'ErasedFactsRemovedV1',
        'ErasedFactsRemovedV2',
        'ErasurePlaceCheckedV1',
        'ErasureConfirmedV1',
        'ErasureSuppressionLiftedV1',
      ],
    ],
    ['erased-{entityId}', ['FactErasedV1']],
    [
      'webhooks',
      [
        'WebhookDefinedV1',
        'WebhookRemovedV1',
        'WebhookPausedV1',
        'WebhookResumedV1',
        'WebhookReplayedV1',
        'WebhookSecretRotatedV1',
      ],
    ],
    ['webhook-progress', ['WebhookProgressRecordedV1']],
  ])
})

describe('docs/facts.md', () => {
  const page = readFileSync('docs/facts.md', 'utf8')
  const blocks = [...page.matchAll(/```json\n(.*?)```/gs)].map(
    ([, text = '']) => JSON.parse(text) as unknown,
  )

  test('shows each type in its stored form', () => {
    expect(blocks).toEqual(examples.map(({ version: _, ...stored }) => stored))
  })

  test('shows examples that the schemas accept', () => {
    const schemas = new FactSchemas()
    for (const { type, version, data, metadata } of examples) {
      expect(schemas.dataFaults(type, version, data)).toEqual([])
      expect(schemas.metadataFaults(metadata)).toEqual([])
    }
  })

  test.each([...page.matchAll(/\]\(([^)#:]+)\)/g)].map(([, link = '']) => link))(
    'links only to existing files: %s',
    (link) => {
      expect(readFileSync(`docs/${link}`, 'utf8')).not.toBe('')
    },
  )
})
