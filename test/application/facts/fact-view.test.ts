import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { factDataOf, renamed, viewOf } from '../../../src/application/facts/fact-view.js'
import { factTable } from '../../../src/application/facts/fact-table.js'
import { JsonText } from '../../../src/domain/json.js'

function viewed(type: string, data: object): unknown {
  return JSON.parse(factDataOf(type, JsonText.of(data)).text)
}

describe('the data of a fact over HTTP', () => {
  test('has members in snake_case at every level', () => {
    const stored = {
      segment: 'buyers',
      version: 2,
      entityId: 'x',
      at: 'y',
      cause: { kind: 'event', factId: 'z' },
    }
    expect(viewed('EntityLeftSegment', stored)).toEqual({
      segment: 'buyers',
      version: 2,
      entity_id: 'x',
      at: 'y',
      cause: { kind: 'event', fact_id: 'z' },
    })
  })

  const inner = z.object({ factId: z.string() })
  test.each([
    ['optional', inner.optional()],
    ['exactly optional', inner.exactOptional()],
    ['nullable', inner.nullable()],
    ['a list of nullable objects', z.array(inner.nullable()).nullable().optional()],
  ])('has members in snake_case in an object that is %s', (_kind, member) => {
    const { schema, view } = viewOf(z.object({ lastCause: member }))
    const isList = JSON.stringify(z.toJSONSchema(member)).includes('array')
    const [stored, sent] = [{ factId: 'x' }, { fact_id: 'x' }]
    const seen = renamed({ lastCause: isList ? [stored, null] : stored }, view)
    expect(seen).toEqual({ last_cause: isList ? [sent, null] : sent })
    expect(schema.parse(seen)).toEqual(seen)
  })

  test('is refused in a form whose members would keep their stored names', () => {
    for (const schema of [
      z.union([inner, z.string()]),
      z.record(z.string(), inner),
      z.lazy(() => inner),
    ]) {
      expect(() => viewOf(z.object({ cause: schema }))).toThrow(/whose members get no HTTP name/)
    }
  })

  test('keeps the names that callers sent', () => {
    const properties = { externalId: 1, createdAt: { externalId: [{ createdAt: null }] } }
    const text = `{"externalId":"ada","properties":{"__proto__":2,"externalId":1},"createdAt":"x"}`
    expect(factDataOf('EntityCreated', new JsonText(text)).text).toBe(
      `{"external_id":"ada","properties":{"__proto__":2,"externalId":1},"created_at":"x"}`,
    )
    expect(viewed('EntityPropertiesChanged', { set: properties, unset: ['changedAt'] })).toEqual({
      set: properties,
      unset: ['changedAt'],
    })
    const resolved = { mySegment: 1, 'a-b': 2 }
    expect(viewed('SegmentBuilt', { resolved })).toEqual({ resolved })
    const rule = { event: 'x', where: { '/camelCase': { eq: 'createdAt' } } }
    expect(viewed('SegmentDefined', { rule })).toEqual({ rule })
  })

  test.each(Object.values(factTable).map(({ type, example }) => [type, example.data] as const))(
    '%s has no camelCase member of ours',
    (type, data) => {
      const names = Object.keys(viewed(type, data) as object)
      expect(names.filter((name) => /[A-Z]/.test(name))).toEqual([])
    },
  )
})
