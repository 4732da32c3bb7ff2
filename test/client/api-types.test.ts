import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import type { Rule } from '../../src/client/dossier.js'
import type * as domain from '../../src/domain/segments/rule/rule.js'
import {
  clientSchemas,
  headerOf,
  typesFile,
  undescribed,
} from '../../tools/client-types/client-schemas.js'

const schemas = clientSchemas()

describe('the generated types of the client', () => {
  it('come from the current OpenAPI document: otherwise run `npm run generate`', () => {
    expect(readFileSync(typesFile, 'utf8').startsWith(headerOf(schemas))).toBe(true)
  })

  it('have another header when a schema gets another member', () => {
    const changed = { ...schemas, Health: { ...schemas['Health'], required: [] } }
    expect(headerOf(changed)).not.toBe(headerOf(schemas))
  })

  it('have a description of every member', () => {
    expect(undescribed(schemas)).toEqual([])
  })

  it('miss a description that a member of a list, a union or a map does not have', () => {
    const shape = { type: 'object', properties: { a: { type: 'string' } } }
    const List = { type: 'array', items: shape }
    const Union = { anyOf: [shape] }
    const Map = { type: 'object', additionalProperties: shape }
    expect(undescribed({ List, Union, Map })).toEqual(['List[].a', 'Union.a', 'Map{}.a'])
  })

  it('have the rule language of the domain', () => {
    type Same<Left, Right> = Left extends Right ? (Right extends Left ? true : false) : false
    const isSame: Same<Rule, domain.Rule> = true
    expect(isSame).toBe(true)
  })
})
