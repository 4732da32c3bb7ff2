import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callerLeft, hasCallerLeft } from '../connection/caller-left.js'
import { afterWholeRequest } from '../connection/lifecycle.js'
import { noRoute } from '../observe-requests.js'
import type { RequestObserver } from '../ports/observers.js'
import { jsonType } from '../replies/write-reply.js'
import { BatchFaults } from './batch-faults.js'
import type { FaultLog } from './fault-log.js'
import { faultOf } from './fault-of.js'
import { faultHeaders, type HttpFault } from './faults.js'
import { faultBody, sentenceOf, type RequestKind } from './fault-body.js'
import type { Refusal, Refusals } from './refusals.js'

/**
 * Sends error replies. `faultOf` maps an error to a fault; `faults.ts` has the codes, statuses and messages;
 * `fault-body.ts` formats the reply. `FaultLog` logs server errors (5xx), and `Refusals` lists refused requests
 * (4xx). `BatchFaults` reports the failed items of a batch. `unknown-routes.ts` refuses requests that no route
 * accepts.
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

  /** Uses the reply format `form` for the errors of the routes in `scope`. */
  addForm(scope: FastifyInstance, form: FaultAnswerForm): void {
    scope.setErrorHandler((error, request, reply) => {
      this.answer(error, request, reply, form)
    })
  }

  /**
   * Answers input that Fastify rejects before routing, such as a URL with invalid encoding. Fastify
   * runs no hooks for such input.
   */
  answerUnrouted(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    afterWholeRequest(request, reply, () => {
      this.answer(error, request, reply, ourForm)
      this.observer.route(noRoute, noRoute)(reply.statusCode, 0)
    })
  }

  /**
   * Returns a collector for the errors of a batch's items. `placeOf` returns the JSON Pointer to an item in the
   * body.
   */
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
    // Removes the header `Connection: close`, which Fastify sets when it refuses a body. Closing
    // would reset the connection of a client that is still sending. Without the header, Node reads
    // the rest of the body until the request times out.
    if (reply.raw.shouldKeepAlive && reply.hasHeader('connection')) reply.removeHeader('connection')
    const { status, headers, text } = form(fault, request)
    reply.code(status).headers(headers).header('Request-Id', request.id)
    void reply.type(jsonType).send(text)
  }

  /**
   * Adds a refused request, or a refused item of a batch, to the list of refusals. A refusal without
   * a valid API key is only counted.
   */
  private list(request: FastifyRequest, fault: HttpFault, item?: string): void {
    if (fault.status === 401) this.refusals.addUnauthenticated()
    const key = request.keyHolder?.name
    if (fault.status >= 500 || key === undefined || isOrdinary(request, fault)) return
    const kind = kindOf(request) === 'read' ? 'read' : 'write'
    const { method, url: route = '' } = request.routeOptions
    const place = { request_id: request.id, key, method: [method].flat()[0] ?? '', route }
    const { status, code } = fault
    const message = sentenceOf(code, kind)
    this.refusals.add({
      kind,
      ...place,
      status,
      code,
      message,
      details: listedDetails(fault, item),
    })
  }
}

/**
 * Returns whether a request failed because its caller disconnected in the middle of the body or
 * during a read. Such failures are not reported. Two failures are reported even if the caller has
 * disconnected: a refused write, because a write continues without its caller, and an internal
 * error.
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

/**
 * Returns whether a refusal is an ordinary answer, which is not listed: a read with the status 404 or a preview.
 * Programs ask in a loop whether something exists, and users preview a rule while they type it.
 */
function isOrdinary(request: FastifyRequest, { status }: HttpFault): boolean {
  if (kindOf(request) !== 'read') return false
  return status === 404 || request.routeOptions.config.takesDrafts === true
}

/**
 * Returns the details for the list of refusals. For a batch item, the path of each detail gets the
 * JSON Pointer to the item as its prefix.
 */
function listedDetails({ code, details }: HttpFault, item: string | undefined): Refusal['details'] {
  if (item === undefined) return details
  if (details.length === 0) return [{ path: item, code }]
  return details.map((detail) => ({ path: item + detail.path, code: detail.code }))
}

/** Formats the reply of a fault. `text` is the JSON body. */
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
