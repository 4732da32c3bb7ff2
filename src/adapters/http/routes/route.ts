import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import type { Clock } from '../../../application/ports/clock-and-ids.js'
import { noBody } from '../requests/json-body.js'
import { check, type Checked } from '../requests/validate.js'
import type { RouteParts } from './route-parts.js'
import { noClock, name } from '../schemas/common.js'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/**
 * An endpoint. `readRoute`, `writeRoute`, `authenticatedRoute` and `openRoute` turn one declaration
 * into a route, which consists of the router's entry, the checks of a request, and the OpenAPI
 * description.
 */
export interface Route<Parts extends RouteParts = RouteParts> {
  readonly method: Method
  readonly path: Path<unknown>
  /** The OpenAPI description, with zod schemas. */
  readonly operation: ZodOpenApiOperationObject
  /** Schemas of the OpenAPI document that no operation refers to, by name. */
  readonly schemas?: Readonly<Record<string, z.ZodType>>
  readonly addTo: (server: FastifyInstance, parts: Parts) => void
}

/** A path and the schema of its parameters. All parameters are text. */
export interface Path<Values> {
  readonly template: string
  readonly schema: z.ZodObject & z.ZodType<Values>
}

export function plainPath(template: string): Path<object> {
  return { template, schema: z.strictObject({}) }
}

/** Returns the path in the router's syntax: `/entities/:external_id`. */
export function urlOf({ template }: Path<unknown>): string {
  return template.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** The body of a request: its check, and its schema in the OpenAPI document. */
export interface Body<Values> {
  /** Undefined when the body can have no members. The OpenAPI document then describes no body. */
  readonly schema: z.ZodType | undefined
  readonly isRequired: boolean
  /** Whether the body can be left out. A missing body means `{}`. */
  readonly isOptional: boolean
  /**
   * Returns a function that checks a body. The clock decides whether a time is in the future. The
   * returned function throws `malformed_json` when a required body is missing.
   */
  readonly checkBy: (clock: Clock) => (sent: unknown) => Checked<Values>
}

export function bodyBy<Values>(schemaBy: (clock: Clock) => z.ZodType<Values>): Body<Values> {
  return {
    schema: schemaBy(noClock),
    isRequired: true,
    isOptional: false,
    checkBy: (clock) => {
      const schema = schemaBy(clock)
      return (sent) => {
        if (sent === undefined) throw noBody()
        return check(schema, sent)
      }
    },
  }
}

export function bodyOf<Values>(schema: z.ZodType<Values>): Body<Values> {
  return bodyBy(() => schema)
}

/**
 * Declares a body that can be left out. `isRequired` says whether `{}` breaks a rule of the schema.
 */
export function optionalBodyBy<Values>(
  schemaBy: (clock: Clock) => z.ZodType<Values>,
  isRequired = false,
): Body<Values> {
  return {
    schema: schemaBy(noClock),
    isRequired,
    isOptional: true,
    checkBy: (clock) => {
      const schema = schemaBy(clock)
      return (sent) => check(schema, sent === undefined ? {} : sent)
    },
  }
}

export function optionalBody<Values>(schema: z.ZodType<Values>): Body<Values> {
  return optionalBodyBy(() => schema)
}

/** Accepts a missing body or `{}`. */
export const emptyBody: Body<object> = { ...optionalBody(z.strictObject({})), schema: undefined }

const entityParameters = z.strictObject({ external_id: name('The external_id of the entity.') })

export function entityPath(template: `/entities/{external_id}${string}`) {
  return { template, schema: entityParameters }
}
