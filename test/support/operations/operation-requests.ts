import { once } from 'node:events'
import { request as begin, type Agent, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { brokenValues } from './broken-values.js'
import type { DescribedOperation, DescribedParameter } from './described-operations.js'
import { sampleObject, sampleOf } from './sample-values.js'

/** A request that breaks one rule of its operation. */
export interface BrokenRequest {
  readonly rule: string
  readonly request: OperationRequest
  readonly status: 400 | 422
  readonly code: 'malformed_json' | 'malformed_request' | 'validation_failed'
  /** The parameter that the error message must name. */
  readonly names?: string
  /** The detail that the reply must contain: its path, and its possible codes. */
  readonly detail?: { readonly path: string; readonly codes: readonly string[] }
}

export interface OperationRequest {
  readonly path: Readonly<Record<string, string>>
  /** The encoded query string. */
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The body as text, for bodies that are not JSON. */
  readonly text?: string
}

/** Returns a request that keeps all rules. */
export function rightRequest(operation: DescribedOperation): OperationRequest {
  const { parameters, body } = operation
  const query = requiredQuery(operation)
  const path = parameters
    .filter((one) => one.in === 'path')
    .map(({ name, schema }): readonly [string, string] => [name, String(sampleOf(schema))])
  return {
    path: Object.fromEntries(path),
    ...(query === '' ? {} : { query }),
    ...(body?.isRequired === true ? { body: sampleOf(body.schema) } : {}),
  }
}

function sampleQuery({ name, schema }: DescribedParameter): string {
  return `${name}=${encodeURIComponent(String(sampleOf(schema)))}`
}

/** Returns a query string with all required parameters except one. */
function requiredQuery({ parameters }: DescribedOperation, except?: string): string {
  return parameters
    .filter((one) => one.in === 'query' && one.required && one.name !== except)
    .map(sampleQuery)
    .join('&')
}

/** Returns a query string with all required parameters, in which `query` is the text of one parameter. */
function queryWith(operation: DescribedOperation, name: string, query: string): string {
  const others = requiredQuery(operation, name)
  return others === '' ? query : `${others}&${query}`
}

export interface OperationReply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export function urlOfRequest(
  { path: template }: DescribedOperation,
  { path, query = '' }: OperationRequest,
): string {
  const url = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  )
  return query === '' ? url : `${url}?${query}`
}

/** Sends a request over a connection, because some operations answer with a stream. */
export async function sendOver(
  connection: { readonly port: number; readonly agent: Agent },
  operation: DescribedOperation,
  request: OperationRequest,
): Promise<OperationReply> {
  const { headers = {}, body, text: given } = request
  const payload = given ?? (body === undefined ? '' : JSON.stringify(body))
  const ofBody = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(payload)),
  }
  const sent = begin({
    ...connection,
    method: operation.method,
    path: urlOfRequest(operation, request),
    headers: { ...(payload === '' ? {} : ofBody), ...headers },
  })
  sent.end(payload)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: await text(response),
  }
}

/** Returns valid requests: one without optional parameters, and one for each query parameter. */
export function rightRequests(operation: DescribedOperation): readonly OperationRequest[] {
  const right = rightRequest(operation)
  const queries = operation.parameters.filter((one) => one.in === 'query')
  return [
    right,
    ...queries.map((one) => ({
      ...right,
      query: queryWith(operation, one.name, sampleQuery(one)),
    })),
  ]
}

/** Returns a request for each rule in the operation's description. Each request breaks only that rule. */
export function brokenRequests(operation: DescribedOperation): readonly BrokenRequest[] {
  const right = rightRequest(operation)
  const ofParameters = operation.parameters.flatMap((parameter) =>
    ofPlace[parameter.in](parameter, right, operation),
  )
  return [...ofParameters, ...brokenBodies(operation, right)]
}

const ofPlace: Readonly<
  Record<
    DescribedParameter['in'],
    (
      parameter: DescribedParameter,
      right: OperationRequest,
      operation: DescribedOperation,
    ) => readonly BrokenRequest[]
  >
> = { path: brokenPaths, query: brokenQueries, header: brokenHeaders }

function brokenBodies(
  { body }: DescribedOperation,
  right: OperationRequest,
): readonly BrokenRequest[] {
  if (body === undefined) return []
  // Unknown members are refused even when a schema does not say so.
  const unknown = {
    rule: 'has an unknown member',
    value: { ...sampleObject(body.schema), surprise: 1 },
    path: ['surprise'],
    codes: ['unknown_field'],
  }
  return [...brokenValues(body.schema), unknown].map(({ rule, value, path, codes }) => ({
    rule: `body${pointer(path)} ${rule}`,
    request: { ...right, body: value },
    status: 422,
    code: 'validation_failed',
    detail: { path: pointer(path), codes },
  }))
}

function brokenPaths({ name, schema }: DescribedParameter, right: OperationRequest) {
  return (
    brokenTextsOf({ name, schema })
      // A URL cannot carry an empty or ill-formed parameter.
      .filter(({ value }) => value !== '' && value.isWellFormed())
      .map(({ rule, value, codes }): BrokenRequest => ({
        rule: `path: ${name} ${rule}`,
        request: { ...right, path: { ...right.path, [name]: value } },
        status: 422,
        code: 'validation_failed',
        detail: { path: `/${name}`, codes },
      }))
  )
}

function brokenQueries(
  parameter: DescribedParameter,
  right: OperationRequest,
  operation: DescribedOperation,
) {
  const { name, schema } = parameter
  const sample = sampleQuery(parameter)
  const broken = brokenTextsOf({ name, schema })
    .filter(({ value }) => value.isWellFormed())
    .map((one) => ({ ...one, query: `${name}=${encodeURIComponent(one.value)}` }))
  return [
    ...broken,
    { rule: 'is repeated', query: `${sample}&${sample}`, codes: ['too_many'] },
    { rule: 'is no UTF-8', query: `${name}=%ff`, codes: ['ill_formed'] },
  ].map(({ rule, query, codes }): BrokenRequest => ({
    rule: `query: ${name} ${rule}`,
    request: { ...right, query: queryWith(operation, name, query) },
    status: 400,
    code: 'malformed_request',
    names: name,
    detail: { path: `/${name}`, codes },
  }))
}

/** The service replaces a malformed Request-Id instead of refusing it. */
const neverRefused = 'Request-Id'

function brokenHeaders({ name, schema }: DescribedParameter, right: OperationRequest) {
  if (schema.pattern === undefined || name === neverRefused) return []
  return ['', 'a b', 'x'.repeat(300)].map((value): BrokenRequest => ({
    rule: `header: ${name} is ${JSON.stringify(value.slice(0, 5))}`,
    request: { ...right, headers: { [name]: value } },
    status: 400,
    code: 'malformed_request',
    names: name,
  }))
}

/** Returns invalid texts for a parameter. All parameters are sent as text. */
function brokenTextsOf({ schema }: Pick<DescribedParameter, 'name' | 'schema'>) {
  const { type } = schema
  return brokenValues(schema)
    .filter(({ codes }) =>
      type === 'string' ? !codes.includes('wrong_type') || schema.enum : true,
    )
    .filter(({ value }) => ['string', 'number', 'boolean'].includes(typeof value))
    .map((one) => ({ ...one, value: String(one.value) }))
}

function pointer(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step)}`).join('')
}
