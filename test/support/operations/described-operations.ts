import { z } from 'zod'
import { servedDocument } from '../served-document.js'
import { schemaForm, type Schema } from './json-schema.js'

const parameterForm = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  schema: schemaForm,
})
const documentForm = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        security: z.array(z.unknown()),
        parameters: z.array(z.union([parameterForm, z.object({ $ref: z.string() })])).default([]),
        requestBody: z
          .object({
            required: z.boolean(),
            content: z.object({ 'application/json': z.object({ schema: schemaForm }) }),
          })
          .optional(),
        responses: z.record(z.string(), z.object({ description: z.string() })),
      }),
    ),
  ),
  components: z.object({
    schemas: z.record(z.string(), schemaForm),
    parameters: z.record(z.string(), parameterForm),
  }),
})

const { paths, components } = documentForm.parse(servedDocument)

export type DescribedParameter = z.infer<typeof parameterForm>

const methodForm = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** An operation of the OpenAPI document. */
export interface DescribedOperation {
  readonly id: string
  readonly method: z.infer<typeof methodForm>
  readonly path: string
  readonly needsKey: boolean
  readonly parameters: readonly DescribedParameter[]
  readonly body: { readonly schema: Schema; readonly isRequired: boolean } | undefined
  /** The error codes that the operation documents, each with its status. */
  readonly faults: ReadonlyMap<string, number>
}

/** All operations of the OpenAPI document. A new route is included automatically. */
export const describedOperations: readonly DescribedOperation[] = Object.entries(paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const { operationId: id, security, parameters, requestBody, responses } = described
      return {
        id,
        method: methodForm.parse(method.toUpperCase()),
        path,
        needsKey: security.length > 0,
        parameters: parameters.map((one) => ('$ref' in one ? parameterAt(one.$ref) : one)),
        body: requestBody && {
          schema: resolved(requestBody.content['application/json'].schema),
          isRequired: requestBody.required,
        },
        faults: new Map(Object.entries(responses).flatMap(faultsOf)),
      }
    }),
)

function faultsOf([status, { description }]: [string, { readonly description: string }]) {
  return [...description.matchAll(/^`(\w+)`: /gm)].map(
    ([, code = '']): readonly [string, number] => [code, Number(status)],
  )
}

function parameterAt(ref: string): DescribedParameter {
  return parameterForm.parse(components.parameters[nameIn(ref)])
}

/**
 * Replaces the references in a schema by their targets. A schema that contains itself, such as a
 * rule, becomes `{}` inside itself.
 */
function resolved(schema: Schema, within: readonly string[] = []): Schema {
  const { $ref, ...own } = schema
  if ($ref !== undefined) {
    const name = nameIn($ref)
    if (within.includes(name)) return {}
    return { ...resolved(components.schemas[name] ?? {}, [...within, name]), ...own }
  }
  const inside = (one: Schema) => resolved(one, within)
  const { properties, items, anyOf, oneOf } = own
  return {
    ...own,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, inside(member)]),
      ),
    }),
    ...(items && { items: inside(items) }),
    ...(anyOf && { anyOf: anyOf.map(inside) }),
    ...(oneOf && { oneOf: oneOf.map(inside) }),
  }
}

function nameIn(ref: string): string {
  return ref.split('/').at(-1) ?? ''
}
