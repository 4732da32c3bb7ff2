import fc from 'fast-check'
import { batchBodies } from './batch-bodies.js'
import { batchVerdict } from './batch-verdict.js'
import { bodies, type Body } from './bodies.js'
import { bodyVerdict, type BodyVerdict, type Endpoint } from './body-verdict.js'
import { grapheme } from './json-texts.js'
import { framings, type Framing } from './framing.js'
import {
  authorizations,
  contentTypes,
  hosts,
  idempotencyKeys,
  noKey,
  idleHeaders,
  methods,
  requestIds,
  targets,
  type IdPart,
  type KeyPart,
  type Keys,
  type Part,
  type Target,
} from './heads.js'
import type { Expectation, SentRequest } from './sent-request.js'

/** A request before its ids and repetitions are decided. */
export interface RequestDraft {
  readonly path: string
  readonly method: string
  readonly target: Target
  readonly version: string
  readonly host: Part
  readonly auth: Part
  readonly type: Part
  readonly key: KeyPart
  readonly requestId: IdPart
  readonly idle: readonly string[]
  readonly expects: boolean
  readonly closes: boolean
  readonly body: Body
  readonly framing: Framing
  /** The entity of the request: a new id, or the id of an earlier request, counted backwards. */
  readonly about: { readonly back: number } | { readonly spell: (tag: string) => string }
}

const writeMethods: ReadonlyMap<string, readonly string[]> = new Map([
  ['/entities', ['POST']],
  ['/events', ['POST']],
  ['/batch', ['POST']],
])

const reads = ['/health/live', '/health/ready', '/openapi.json']

const ids: fc.Arbitrary<(tag: string) => string> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      (tag: string) => tag,
      (tag: string) => `ünï-${tag}-😀`,
      (tag: string) => `../${tag}?#%2f`,
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .string({ unit: grapheme, maxLength: 12 })
      .map((text) => (tag: string) => `${tag}${text}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      (tag: string) => tag.padEnd(255, 'i'),
      (tag: string) => tag.padStart(256, 'i'),
      (tag: string) => `${tag}${'😀'.repeat(255 - tag.length)}`,
    ),
  },
)

const about: fc.Arbitrary<RequestDraft['about']> = fc.oneof(
  ids.map((spell) => ({ spell })),
  fc.nat(3).map((back) => ({ back })),
)

export function requestDrafts(keys: Keys): fc.Arbitrary<RequestDraft> {
  return fc.oneof(
    { weight: 10, arbitrary: draftsOf('/entities', 'POST', keys) },
    { weight: 10, arbitrary: draftsOf('/events', 'POST', keys) },
    { weight: 6, arbitrary: draftsOf('/batch', 'POST', keys) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...reads).chain((path) => draftsOf(path, 'GET', keys)),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...reads).chain((path) => draftsOf(path, 'HEAD', keys)),
    },
  )
}

/** Idempotency-Key headers for batches. A batch must have none, and some requests send one anyway. */
const batchKeys = fc.oneof(
  { weight: 15, arbitrary: fc.constant(noKey) },
  { weight: 1, arbitrary: idempotencyKeys },
)

function draftsOf(path: string, method: string, keys: Keys): fc.Arbitrary<RequestDraft> {
  const seldom = fc.integer({ min: 0, max: 11 }).map((one) => one === 0)
  return fc.record({
    path: fc.constant(path),
    method: methods(method),
    target: targets(path),
    version: fc.constantFrom(...Array<string>(40).fill('1.1'), '1.0', '1.0', '2.0', '0.9'),
    host: hosts,
    auth: authorizations(keys),
    type: contentTypes,
    key: path === '/batch' ? batchKeys : idempotencyKeys,
    requestId: requestIds,
    idle: idleHeaders,
    expects: seldom,
    closes: seldom,
    body: path === '/batch' ? batchBodies : bodies(path === '/entities' ? path : '/events'),
    framing: framings,
    about,
  })
}

/** Returns the bytes of the request. `id` is the external id that it is about. */
export function write(draft: RequestDraft, id: string, bodyLimit: number): SentRequest {
  const body = draft.body.write(id, bodyLimit)
  const framing = draft.framing.frame(body)
  const expectation = expectationOf(draft, body, bodyLimit)
  const continued = draft.expects && draft.version === '1.1'
  const lines = [
    `${draft.method} ${draft.target.text} HTTP/${draft.version}`,
    ...[draft.host, draft.auth, draft.type, draft.key, draft.requestId].flatMap(
      (part) => part.lines,
    ),
    ...draft.idle,
    ...framing.lines,
    ...(draft.expects ? ['Expect: 100-Continue'] : []),
  ]
  const asked = lines.some((line) => /^connection:.*keep-alive/i.test(line))
  const closes = draft.closes && !asked
  if (closes) lines.push('Connection: Close')
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  const old = draft.version !== '1.1' && !asked
  return {
    kind: kindOf(draft, expectation),
    bytes: Buffer.concat([head, framing.bytes]),
    method: draft.method,
    expectation,
    requestId: draft.requestId.id,
    mayContinue: continued,
    last: closes || old,
  }
}

/**
 * Returns the expected outcome. If a request has several faults, the order of checks decides which one is reported.
 */
function expectationOf(draft: RequestDraft, body: Buffer, bodyLimit: number): Expectation {
  if (draft.target.broken || isBroken(draft)) {
    return { ...fault(400, 'malformed_request') }
  }
  const { path } = draft.target
  if (path === undefined) return fault(404, 'route_not_found')
  const allowed = writeMethods.get(path) ?? ['GET', 'HEAD']
  // The fuzzed service has no read model.
  if (path === '/entities' && ['GET', 'HEAD'].includes(draft.method)) {
    return fault(404, 'route_not_found')
  }
  if (!allowed.includes(draft.method)) {
    return { ...fault(405, 'method_not_allowed'), headers: { allow: allowed.join(', ') } }
  }
  if (!writeMethods.has(path)) return { kind: 'read' }
  return guarded(draft) ?? ofBody(draft, path, body, bodyLimit)
}

/**
 * Returns whether the request line or headers are invalid for HTTP/1.1, or for HTTP/1.0 if the request declares it.
 */
function isBroken({ auth, host, version, framing }: RequestDraft): boolean {
  if (auth.status === 400) return true
  if (version === '1.0') return framing.chunked || host.lines.length > 1
  return version !== '1.1' || framing.coded === true || host.status !== 'ok'
}

function guarded({ auth, type }: RequestDraft): Expectation | undefined {
  if (auth.status === 401) {
    return { ...fault(401, 'unauthenticated'), headers: { 'www-authenticate': 'Bearer' } }
  }
  if (auth.status === 403) return fault(403, 'forbidden')
  return type.status === 'ok' ? undefined : fault(415, 'unsupported_media_type')
}

function ofBody(draft: RequestDraft, path: string, body: Buffer, limit: number): Expectation {
  if (path === '/batch') return ofBatch(draft, body)
  const endpoint = path === '/entities' ? path : '/events'
  if (body.length > limit) return fault(413, 'body_too_large')
  const verdict = bodyVerdict(endpoint, body)
  const { key } = draft
  if (verdict.kind === 'malformed') {
    return fault(400, 'malformed_json', ...(key.status === 'ok' ? [] : ['malformed_request']))
  }
  if (key.status !== 'ok') return fault(400, 'malformed_request')
  return verdictExpectation(verdict, endpoint, key.key)
}

function ofBatch({ target, key }: RequestDraft, body: Buffer): Expectation {
  const verdict = batchVerdict(body)
  if (verdict.kind === 'malformed') return fault(400, 'malformed_json', 'malformed_request')
  if (/\?./.test(target.text) || key.lines.length > 0) return fault(400, 'malformed_request')
  if (verdict.kind === 'refused') return brokenRules(verdict.details)
  const items = verdict.items.map((item) =>
    item.kind === 'write' ? item : brokenRules(item.details),
  )
  return { kind: 'batch', items }
}

function verdictExpectation(
  verdict: Exclude<BodyVerdict, { kind: 'malformed' }>,
  endpoint: Endpoint,
  key: string | undefined,
): Expectation {
  if (verdict.kind === 'valid') return { kind: 'write', endpoint, fields: verdict.fields, key }
  return brokenRules(verdict.details)
}

function brokenRules(details: ReadonlySet<string>) {
  return { ...fault(422, 'validation_failed'), details }
}

function fault(status: number, ...codes: string[]) {
  return { kind: 'fault' as const, status, codes }
}

function kindOf(draft: RequestDraft, expectation: Expectation): string {
  if (expectation.kind === 'read') return 'a read'
  const early =
    expectation.kind === 'fault' && [404, 405, 401, 403, 415].includes(expectation.status)
  return early ? 'a refused head' : draft.body.kind
}
