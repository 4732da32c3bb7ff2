import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { violationCodes, type ViolationCode } from '../../../../src/domain/rule-violation.js'
import { check } from '../../../../src/adapters/http/requests/validate.js'

function refusing(params?: Record<string, string>) {
  return z.custom<string>(() => false, { error: 'must be so', params })
}

/** A check that a later version of the schema library might add. */
const unknownCheck = z.unknown().check(({ value, issues }) => {
  issues.push({ code: 'planted', input: value, message: 'x' } as never)
})

function detailsOf(schema: z.ZodType, name: unknown) {
  return check(z.object({ name: schema }), { name }).details
}

test.each(violationCodes)('a domain rule keeps its own code: %s', (code) => {
  expect(detailsOf(refusing({ code }), 1)).toEqual([{ path: '/name', code, message: 'must be so' }])
})

describe('every check of the schema library has a published code', () => {
  const elsewhere = 'must be as the document at /openapi.json describes it'
  test.each<[string, z.ZodType, unknown, ViolationCode, string]>([
    ['a type', z.string(), 1, 'wrong_type', 'must be a string'],
    ['a list', z.array(z.string()), 'x', 'wrong_type', 'must be a JSON array'],
    ['a whole number', z.int(), 1.5, 'wrong_type', 'must be a whole number'],
    ['a record', z.record(z.string(), z.int()), 1, 'wrong_type', 'must be a JSON object'],
    ['null', z.null(), 1, 'wrong_type', 'must be null'],
    ['a type without a name in messages', z.date(), 1, 'wrong_type', elsewhere],
    ['one of several values', z.enum(['a', 'b']), 'c', 'wrong_type', 'must be "a" or "b"'],
    ['a single value', z.literal('a'), 'c', 'wrong_type', 'must be "a"'],
    ['a shortest text', z.string().min(1), '', 'empty', 'must not be empty'],
    ['a longer text', z.string().min(3), 'ab', 'empty', 'must have at least 3 characters'],
    ['a longest text', z.string().max(3), 'abcd', 'too_long', 'must have at most 3 characters'],
    ['a shortest list', z.array(z.int()).min(1), [], 'empty', 'must not be empty'],
    ['a longest list', z.array(z.int()).max(1), [1, 2], 'too_many', 'must have at most 1 items'],
    ['a smallest number', z.int().min(1), 0, 'number_out_of_range', 'must be at least 1'],
    ['a largest number', z.number().max(1), 2, 'number_out_of_range', 'must be at most 1'],
    ['a step', z.number().multipleOf(2), 3, 'number_out_of_range', 'must be a multiple of 2'],
    ['a pattern', z.string().regex(/^a$/), 'b', 'bad_characters', 'must be of the form /^a$/'],
    ['a union', z.union([z.string(), z.int()]), true, 'wrong_type', elsewhere],
    ['a key', z.record(z.string().max(1), z.int()), { ab: 1 }, 'wrong_type', elsewhere],
    ['a domain rule without a code', refusing(), 1, 'wrong_type', elsewhere],
    ['a domain rule with an unknown code', refusing({ code: 'x' }), 1, 'wrong_type', elsewhere],
    ['an unknown check', unknownCheck, 1, 'wrong_type', elsewhere],
  ])('%s', (_what, schema, value, code, message) => {
    expect(detailsOf(schema, value)).toMatchObject([{ code, message }])
  })

  test.each([z.string(), z.int(), z.enum(['a']), z.union([z.string(), z.int()]), refusing()])(
    'a missing value is reported as required, whatever its type: %#',
    (schema) => {
      expect(detailsOf(schema, undefined)).toEqual([
        { path: '/name', code: 'required', message: 'is required' },
      ])
    },
  )
})
