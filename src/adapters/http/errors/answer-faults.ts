import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callerLeft, hasCallerLeft } from '../connection/caller-left.js'
import { afterWholeRequest } from '../connection/lifecycle.js'
import { noRoute } from '../observe-requests.js'
import type { RequestObserver } from '../ports/observers.js'
import { jsonType } from '../routes/write-reply.js'
import { BatchFaults } from './batch-faults.js'
import type { FaultLog } from './fault-log.js'
import { faultOf } from './fault-of.js'
import { faultForms, faultHeaders, type HttpFault } from './faults.js'
import { faultBody, type RequestKind } from './fault-body.js'
import type { Refusal, Refusals } from './refusals.js'

/**
 * Answers errors. `faultOf` maps an error to a fault (`faults.ts` has their codes, statuses and messages). The reply has
 * the form of `fault-body.ts`. `FaultLog` logs the faults that are ours (5xx); `Refusals` lists the writes that were refused with 4xx.
 * `BatchFaults` does this for the items of a batch, and `unknown-routes.ts` refuses requests that no route takes.
 */
export class FaultAnswers {
  constructor(
    private readonly log: FaultLog,
    private readonly observer: RequestObserver,
    private readonly refusals: Refusals,
  ) {}

  addTo(server: FastifyInstance): void {
    this.addForm(server, ourForm)
    server.addHook('onClose', (_server, done) => {
      this.log.writeRefused()
      done()
    })
  }

  /** Answers the errors of the routes of a scope in another form. */
  addForm(scope: FastifyInstance, form: FaultAnswerForm): void {
    scope.setErrorHandler((error, request, reply) => {
      this.answer(error, request, reply, form)
    })
  }

  /** Answers input that never becomes a request of Fastify, such as a URL that cannot be decoded. No hook runs for it. */
  answerUnrouted(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    afterWholeRequest(request, reply, () => {
      this.answer(error, request, reply, ourForm)
      this.observer.route(noRoute, noRoute)(reply.statusCode, 0)
    })
  }

  /** Collects the errors of the items of a batch. `placeOf`: the JSON Pointer to an item in the body. */
  ofBatch(request: FastifyRequest, placeOf: (index: number) => string): BatchFaults {
    return new BatchFaults(request.id, this.log, this.observer, (fault, index) => {
      this.list(request, fault, placeOf(index))
    })
  }

  private answer(
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    form: FaultAnswerForm,
  ): void {
    const fault = faultOf(error, request.routeOptions.bodyLimit)
    if (endsUnanswered(error, fault, request, reply)) {
      reply.code(callerLeft)
      void reply.send()
      return
    }
    this.log.add(request.id, error, fault)
    this.observer.fault(fault.code)
    this.list(request, fault)
    // After a refused body, Fastify would close a kept-alive connection, which resets it for a client that is still
    // sending. Node reads the rest of the body, until the timeout of the request.
    if (reply.raw.shouldKeepAlive && reply.hasHeader('connection')) reply.removeHeader('connection')
    const { status, headers, text } = form(fault, request)
    reply.code(status).headers(headers).header('Request-Id', request.id)
    void reply.type(jsonType).send(text)
  }

  /** Adds the refusal of a write, or of an item of a batch, to the list of refusals. Only for holders of a key. */
  private list(request: FastifyRequest, fault: HttpFault, item?: string): void {
    if (fault.status === 401) this.refusals.addUnauthenticated()
    const key = request.keyHolder?.name
    if (fault.status >= 500 || key === undefined || kindOf(request) === 'read') return
    const { method, url: route = '' } = request.routeOptions
    const place = { request_id: request.id, key, method: [method].flat()[0] ?? '', route }
    const { status, code } = fault
    const { message } = faultForms[code]
    this.refusals.add({ ...place, status, code, message, details: listedDetails(fault, item) })
  }
}

/**
 * Whether a request failed because its caller left: in the middle of its body, or during a read. An internal error is
 * reported anyway. A write goes on when its caller leaves, so its refusal is reported, too.
 */
function endsUnanswered(
  error: unknown,
  fault: HttpFault,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  if (error === request.raw.errored) return true
  const isRead = kindOf(request) === 'read' && fault.code !== 'internal_error'
  return isRead && hasCallerLeft(request, reply)
}

/** The details of a fault. Paths of an item of a batch begin with the JSON Pointer to the item. */
function listedDetails({ code, details }: HttpFault, item: string | undefined): Refusal['details'] {
  if (item === undefined) return details
  if (details.length === 0) return [{ path: item, code }]
  return details.map((detail) => ({ path: item + detail.path, code: detail.code }))
}

/** Makes the reply of a fault. The text is JSON. */
export type FaultAnswerForm = (
  fault: HttpFault,
  request: FastifyRequest,
) => {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

const ourForm: FaultAnswerForm = (fault, request) => ({
  status: fault.status,
  headers: faultHeaders(fault),
  text: faultBody(fault, request.id, kindOf(request)),
})

function kindOf({ method, headers, routeOptions }: FastifyRequest): RequestKind {
  if (method === 'GET' || method === 'HEAD' || routeOptions.config.reads === true) return 'read'
  return 'idempotency-key' in headers ? 'keyedWrite' : 'write'
}
