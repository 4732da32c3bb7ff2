import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { jsonInPieces, jsonOf } from '../../../../src/adapters/http/replies/json-of.js'
import { atOnce } from '../../../../src/domain/in-pieces.js'
import { JsonText } from '../../../../src/domain/json.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { codePoint } from '../../../support/code-point.js'

describe('JSON that contains prepared JSON texts', () => {
  it('equals the output of JSON.stringify, byte for byte', () => {
    const texts = fc.string({ unit: codePoint })
    const values = [texts, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)]
    fc.assert(
      fc.property(fc.object({ key: texts, values }), (value) => {
        expect(jsonOf(value)).toBe(JSON.stringify(value))
        expect(atOnce(jsonInPieces(value))).toBe(JSON.stringify(value))
      }),
      { numRuns: quickOrThorough({ quick: 8, thorough: 1_000 }) },
    )
  })

  it('omits undefined members, and copies prepared texts unchanged', () => {
    const text = new JsonText('{"b":1.0,"a":"\\u00e9"}')
    expect(jsonOf({ gone: undefined, items: [{ properties: text }, text] })).toBe(
      '{"items":[{"properties":{"b":1.0,"a":"\\u00e9"}},{"b":1.0,"a":"\\u00e9"}]}',
    )
  })

  it('is produced item by item', () => {
    const pieces = [...jsonInPieces({ gone: undefined, items: [1, {}, 'a'], next: null })]
    expect(pieces).toHaveLength(3)
  })
})
