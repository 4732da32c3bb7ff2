import { isDeepStrictEqual } from 'node:util'
import { asJson, type Account } from './account.js'
import type { RawReply } from './raw-client.js'
import {
  expect,
  readReply,
  type ReadReply,
  type ShownFault,
  type StoredData,
} from './reply-form.js'
import type { Expectation, SentRequest } from './sent-request.js'

type Write = Extract<Expectation, { kind: 'write' }>
type Fault = Extract<Expectation, { kind: 'fault' }>

interface Remembered {
  readonly body: unknown
  readonly data: StoredData
  readonly position: string
}

/** Checks the replies of one scenario in order, against the facts that the scenario has stored so far. */
export class Judge {
  private readonly entities = new Set<string>()
  private readonly keys = new Map<string, Remembered>()
  private lastPosition = 0

  constructor(
    private readonly account: Account,
    private readonly secrets: readonly string[],
  ) {}

  /** Checks a reply. Throws an error that describes the fault. */
  judge(request: SentRequest, raw: RawReply): ReadReply {
    const { expectation, method } = request
    const reply = readReply(raw, method === 'HEAD')
    if (reply.fault !== undefined) this.account.heard(reply.fault)
    for (const secret of this.secrets) {
      expect(!raw.body.includes(secret), 'a key in the reply')
    }
    expect(
      raw.interim <= (request.mayContinue ? 1 : 0) || expectation.kind === 'any',
      'told to go on',
    )
    if (expectation.kind === 'any' || expectation.kind === 'wreck') {
      this.unforeseen(expectation.kind, reply)
      return reply
    }
    expectRequestId(request, reply)
    const close = reply.headers['connection'] === 'close'
    expect(close === request.last, `Connection: ${String(reply.headers['connection'])}`)
    if (expectation.kind === 'fault') expectFault(expectation, reply, request)
    else if (expectation.kind === 'read')
      expect(reply.status === 200, `${String(reply.status)} for a read`)
    else if (expectation.kind === 'batch') this.batch(expectation.items, reply, request)
    else this.write(expectation, reply, this.lastPosition)
    return reply
  }

  private batch(
    items: Extract<Expectation, { kind: 'batch' }>['items'],
    { status, fault, results }: ReadReply,
    request: SentRequest,
  ): void {
    expect(
      results?.length === items.length,
      `${String(status)} ${fault?.code ?? ''} for a batch of ${String(items.length)}`,
    )
    const before = this.lastPosition
    for (const [at, wanted] of items.entries()) {
      const reply = results[at]
      if (reply === undefined) continue
      if (reply.fault !== undefined) this.account.heard(reply.fault)
      if (wanted.kind === 'fault') expectFault(wanted, reply, request)
      else this.write(wanted, reply, before)
    }
  }

  private unforeseen(kind: 'any' | 'wreck', reply: ReadReply): void {
    if (kind === 'wreck') {
      expect([400, 413, 431].includes(reply.status), `${String(reply.status)} for a wreck`)
      expect(reply.headers['connection'] === 'close', 'a wreck does not end the connection')
    }
    const { stored, headers } = reply
    if (stored === undefined) return
    if (headers['idempotency-replayed'] === 'true') this.account.replayed += 1
    else this.account.acknowledge({ data: stored, position: headers['position'] ?? '' })
  }

  /** Checks the reply to a valid write. `after`: a new fact must have a position above this one. */
  private write(asked: Write, reply: ReadReply, after: number): void {
    const { endpoint, fields, key } = asked
    const id = String(fields[endpoint === '/entities' ? 'external_id' : 'entity_external_id'])
    const scope = JSON.stringify([endpoint, id, key])
    const before = key === undefined ? undefined : this.keys.get(scope)
    const body = asJson(fields)
    if (before !== undefined) this.repeat(before, body, reply)
    else if (endpoint === '/entities' && this.entities.has(id))
      expectCode(reply, 409, 'entity_exists')
    else if (endpoint === '/events' && !this.entities.has(id))
      expectCode(reply, 404, 'entity_not_found')
    else {
      const made = this.fresh(body, reply, after)
      if (endpoint === '/entities') this.entities.add(id)
      if (key !== undefined) this.keys.set(scope, made)
    }
  }

  private repeat(before: Remembered, body: unknown, reply: ReadReply): void {
    if (!isDeepStrictEqual(before.body, body)) {
      expectCode(reply, 422, 'idempotency_key_reused')
      return
    }
    const { status, headers, stored } = reply
    expect(status === 201, `${String(status)} ${reply.fault?.code ?? ''} for a repeat`)
    expect(headers['idempotency-replayed'] === 'true', 'a repeat that does not say so')
    expect(headers['position'] === before.position, 'a repeat at another place')
    expect(isDeepStrictEqual(stored, before.data), 'a repeat with other data')
    this.account.replayed += 1
  }

  private fresh(body: unknown, reply: ReadReply, after: number): Remembered {
    const { status, fault, headers, stored } = reply
    expect(
      status === 201 && stored !== undefined,
      `${String(status)} ${fault?.code ?? ''} for what keeps every rule`,
    )
    expect(!('idempotency-replayed' in headers), 'replayed, but never sent before')
    const time = 'created_at' in stored ? stored.recorded_at : stored.timestamp
    const isTimed = typeof body === 'object' && body !== null && 'created_at' in body
    const hidden = new Set([
      ...['recorded_at', 'id', 'timestamp'],
      // Without a sent time, the entity came to be when it was recorded.
      ...(isTimed ? [] : ['created_at']),
    ])
    const echo = Object.fromEntries(Object.entries(stored).filter(([name]) => !hidden.has(name)))
    expect(isDeepStrictEqual(echo, body), `the echo differs: ${JSON.stringify(echo).slice(0, 300)}`)
    const age = Date.now() - Date.parse(time)
    expect(age > -1_000 && age < 60_000, 'the time')
    const position = headers['position'] ?? ''
    expect(Number(position) > after, 'the position does not grow')
    this.lastPosition = Math.max(this.lastPosition, Number(position))
    this.account.acknowledge({ data: stored, position })
    return { body, data: stored, position }
  }
}

function expectRequestId({ requestId, bytes }: SentRequest, { headers }: ReadReply): void {
  const given = headers['request-id'] ?? ''
  if (requestId !== undefined) expect(given === requestId, 'the Request-Id does not come back')
  else expect(/^[0-9a-f-]{36}$/.test(given) && !bytes.includes(given), 'the Request-Id is not new')
}

function expectCode({ status, fault }: ReadReply, wanted: number, code: string): void {
  expect(
    status === wanted && (fault === undefined || fault.code === code),
    `${String(status)} ${fault?.code ?? ''} instead of ${String(wanted)} ${code}`,
  )
}

function expectFault(wanted: Fault, reply: ReadReply, request: SentRequest): void {
  const { fault } = reply
  const code =
    fault === undefined ? wanted.codes[0] : wanted.codes.find((one) => one === fault.code)
  expectCode(reply, wanted.status, code ?? wanted.codes.join(' or '))
  for (const [name, value] of Object.entries(wanted.headers ?? {})) {
    expect(reply.headers[name] === value, `${name}: ${String(reply.headers[name])}`)
  }
  if (fault === undefined) return
  if (wanted.details !== undefined) expectDetails(wanted.details, fault)
  expectNothingRepeated(fault, request)
}

function expectDetails(wanted: ReadonlySet<string>, { details }: ShownFault): void {
  const told = new Set(details.map(({ path, code }) => `${path} ${code}`))
  for (const one of told) expect(wanted.has(one), `a fault that is none: ${one}`)
  if (details.length === 100) return
  for (const one of wanted) expect(told.has(one), `a fault that is not told: ${one.slice(0, 300)}`)
}

/**
 * Checks that a fault repeats no refused value. Refused values of the fuzz contain long runs of one character or
 * long numbers.
 */
function expectNothingRepeated({ details, message }: ShownFault, { bytes }: SentRequest): void {
  for (const text of [message, ...details.map((one) => one.message)]) {
    expect(
      !/z{20}|[😀]{20}|y{256}|\d{16}|1e300/iu.test(text),
      `a refused value is repeated: ${text}`,
    )
    expect(text.length < 300 || !bytes.includes(text), 'a message out of the request')
  }
}
