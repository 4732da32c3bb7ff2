import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { violationCodes } from '../../../../src/domain/rule-violation.js'
import { check } from '../../../../src/adapters/http/requests/validate.js'

function refusing(params?: Record<string, string>) {
  return z.strictObject({ name: z.custom<string>(() => false, { error: 'must be so', params }) })
}

describe('the codes of broken rules', () => {
  test.each(violationCodes)('%s is told', (code) => {
    expect(check(refusing({ code }), { name: 1 })).toEqual({
      details: [{ path: '/name', code, message: 'must be so' }],
    })
  })

  test.each([
    ['is not published', refusing({ code: 'planted' })],
    ['is missing', refusing()],
    ['is one of the schema library', z.strictObject({ name: z.enum(['a']) })],
  ])('a mistake of ours: one that %s', (_what, schema) => {
    expect(() => check<unknown>(schema, { name: 1 })).toThrow(TypeError)
  })
})
