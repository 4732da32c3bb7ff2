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

/** Answers every error in the form of all faults, and reports it to the log and the observer. */
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

  /** The same for the routes of a scope whose faults have a form of their own. */
  addForm(scope: FastifyInstance, form: FaultAnswerForm): void {
    scope.setErrorHandler((error, request, reply) => {
      this.answer(error, request, reply, form)
    })
  }

  /** Answers what is no request to Fastify, such as a URL that cannot be decoded: no hook runs for it. */
  answerUnrouted(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    afterWholeRequest(request, reply, () => {
      this.answer(error, request, reply, ourForm)
      this.observer.route(noRoute, noRoute)(reply.statusCode, 0)
    })
  }

  /** For the errors of the items of a batch; `placeOf`: a JSON Pointer to an item in its body. */
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
    // After a refused body, Fastify would close a connection that is to be kept alive, which resets it
    // for a client that is still sending. Node reads such a body to its end, within the request's time.
    if (reply.raw.shouldKeepAlive && reply.hasHeader('connection')) reply.removeHeader('connection')
    const { status, headers, text } = form(fault, request)
    reply.code(status).headers(headers).header('Request-Id', request.id)
    void reply.type(jsonType).send(text)
  }

  /** Lists the refusal of a write, or of an item of a batch, of whoever holds a key. */
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
 * Whether a request ends because its caller left: in the middle of its body, or while a read was under way.
 * A mistake of ours stays one, and so does the refusal of a write, which nobody's leaving ends.
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

/** Paths of an item begin with its place in the batch; so does that of an item refused as a whole. */
function listedDetails({ code, details }: HttpFault, item: string | undefined): Refusal['details'] {
  if (item === undefined) return details
  if (details.length === 0) return [{ path: item, code }]
  return details.map((detail) => ({ path: item + detail.path, code: detail.code }))
}

/** What a client is sent of a fault; the text is JSON. */
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
