import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { afterWholeRequest } from '../connection/whole-request.js'
import { noRoute } from '../observe-requests.js'
import type { RequestObserver } from '../ports/request-observer.js'
import { jsonType } from '../routes/write-reply.js'
import { BatchFaults } from './batch-faults.js'
import type { FaultLog } from './fault-log.js'
import { faultOf } from './fault-of.js'
import { faultBody, faultHeaders, plainFault, type Asked, type HttpFault } from './faults.js'

/** Answers every error in the form of all faults, and tells the log and the observer. */
export class FaultAnswers {
  constructor(
    private readonly log: FaultLog,
    private readonly observer: RequestObserver,
  ) {}

  addTo(server: FastifyInstance): void {
    this.addForm(server, ourForm)
    server.addHook('onClose', (_server, done) => {
      this.log.tellRefused()
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

  /** For the errors of the items of a batch. */
  ofBatch(requestId: string): BatchFaults {
    return new BatchFaults(requestId, this.log, this.observer)
  }

  private answer(
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    form: FaultAnswerForm,
  ): void {
    // A client that disconnects in the middle of its body is told nothing, and it is no mistake of ours.
    const cutOff = error === request.raw.errored
    const fault = cutOff
      ? plainFault('malformed_request')
      : faultOf(error, request.routeOptions.bodyLimit)
    this.log.add(request.id, error, fault)
    if (!cutOff) this.observer.fault(fault.code)
    // After a refused body, Fastify would close a connection that is to be kept alive, which resets it
    // for a client that is still sending. Node reads such a body to its end, within the request's time.
    if (reply.raw.shouldKeepAlive && reply.hasHeader('connection')) reply.removeHeader('connection')
    const { status, headers, text } = form(fault, request)
    reply.code(status).headers(headers).header('Request-Id', request.id)
    void reply.type(jsonType).send(text)
  }
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
  text: faultBody(fault, request.id, askedOf(request)),
})

function askedOf({ method, headers, routeOptions }: FastifyRequest): Asked {
  if (method === 'GET' || method === 'HEAD' || routeOptions.config.reads === true) return 'read'
  return 'idempotency-key' in headers ? 'keyedWrite' : 'write'
}
