import type { Schema } from './json-schema.js'
import { sampleObject, sampleOf } from './sample-values.js'

/** A value that breaks one rule of a schema. */
export interface BrokenValue {
  readonly rule: string
  readonly value: unknown
  /** The path of the broken value. */
  readonly path: readonly (string | number)[]
  /** The error codes that may report the broken rule. */
  readonly codes: readonly string[]
}

/** Returns a value for each rule of the schema and its nested schemas. Each value breaks only that rule. */
export function brokenValues(schema: Schema): readonly BrokenValue[] {
  if (schema.oneOf !== undefined) return schema.oneOf.flatMap(brokenValues)
  const { type = [] } = schema
  const own = [type].flat().flatMap((one) => ofType[one]?.(schema) ?? [])
  return [...wrongTypes(schema), ...own]
}

const ofType: Readonly<Record<string, (schema: Schema) => readonly BrokenValue[]>> = {
  object: brokenObjects,
  array: brokenLists,
  string: brokenTexts,
  integer: brokenNumbers,
}

const valuesOfTypes: readonly (readonly [type: string, value: unknown])[] = [
  ['null', null],
  ['boolean', true],
  ['number', 1.5],
  ['string', 'x'],
  ['array', []],
  ['object', {}],
]

function wrongTypes(schema: Schema): readonly BrokenValue[] {
  const right = typesOf(schema)
  return valuesOfTypes
    .filter(([name]) => !right.includes(name))
    .map(([name, value]) => broken(`is ${name}`, value, ['wrong_type']))
}

function typesOf({ type, anyOf = [] }: Schema): readonly string[] {
  return type === undefined ? anyOf.flatMap(typesOf) : [type].flat()
}

function broken(rule: string, value: unknown, codes: readonly string[]): BrokenValue {
  return { rule, value, path: [], codes }
}

function brokenObjects(schema: Schema): readonly BrokenValue[] {
  const sample = sampleObject(schema)
  const { properties = {}, required = [], maxProperties } = schema
  const ofMembers = Object.entries(properties).flatMap(([name, member]) =>
    brokenValues(member).map((one) => ({
      ...one,
      value: { ...sample, [name]: one.value },
      path: [name, ...one.path],
    })),
  )
  const missing = required.map((name) => {
    const { [name]: _, ...others } = sample
    return { rule: 'is missing', value: others, path: [name], codes: ['required'] }
  })
  const unknown = { ...sample, surprise: 1 }
  const many = Object.fromEntries(
    Array.from({ length: (maxProperties ?? 0) + 1 }, (_, at) => [at, at]),
  )
  return [
    ...ofMembers,
    ...missing,
    ...(schema.additionalProperties === false
      ? [{ rule: 'is unknown', value: unknown, path: ['surprise'], codes: ['unknown_field'] }]
      : []),
    ...(maxProperties === undefined ? [] : [broken('has too many members', many, ['too_many'])]),
  ]
}

function brokenLists({ items = {}, minItems = 0, maxItems }: Schema): readonly BrokenValue[] {
  const many = Array.from({ length: (maxItems ?? 0) + 1 }, () => sampleOf(items))
  const ofItems = brokenValues(items)
  return [
    ...ofItems.map((one) => ({ ...one, value: [one.value], path: [0, ...one.path] })),
    ...(minItems > 0 ? [broken('is empty', [], ['empty'])] : []),
    ...(maxItems === undefined ? [] : [broken('has too many items', many, ['too_many'])]),
  ]
}

function brokenTexts(schema: Schema): readonly BrokenValue[] {
  if (schema.const !== undefined) return [broken('is another word', 'x', ['unknown_operation'])]
  if (schema.enum !== undefined) return [broken('is another word', 'x', ['wrong_type'])]
  const formats = schema.anyOf?.map(({ format }) => format) ?? [schema.format]
  const ofFormat = wrongForms[formats.join(' or ')]
  return ofFormat ?? [...wrongLengths(schema), ...wrongCharacters(schema)]
}

const wrongForms: Readonly<Record<string, readonly BrokenValue[]>> = {
  'date-time': ['x', '\ud800', '2026-11-19'].map((text) =>
    broken('is no time', text, ['not_a_time']),
  ),
  'date-time or date': ['x', '\ud800', '2026-11-19T09:30:00', '2026-02-30'].map((text) =>
    broken('is no time', text, ['not_a_time']),
  ),
  uuid: [broken('is no UUID', 'x', ['bad_characters'])],
}

function wrongLengths({ minLength = 0, maxLength }: Schema): readonly BrokenValue[] {
  const long = 'x'.repeat((maxLength ?? 0) + 1)
  return [
    ...(minLength > 0 ? [broken('is empty', '', ['empty'])] : []),
    ...(maxLength === undefined ? [] : [broken('is too long', long, ['too_long'])]),
  ]
}

function wrongCharacters({ pattern, not }: Schema): readonly BrokenValue[] {
  return [
    broken('is ill-formed', '\ud800', ['ill_formed', 'bad_characters']),
    ...(pattern === undefined ? [] : [broken('has another form', ' ä', ['bad_characters'])]),
    ...(not?.const === undefined ? [] : [broken('is reserved', not.const, ['bad_characters'])]),
  ]
}

function brokenNumbers({ minimum, maximum }: Schema): readonly BrokenValue[] {
  return [
    broken('is too large', maximum === undefined ? undefined : maximum + 1, [
      'number_out_of_range',
    ]),
    broken('is too small', minimum === undefined ? undefined : minimum - 1, [
      'number_out_of_range',
    ]),
  ].filter(({ value }) => value !== undefined)
}
