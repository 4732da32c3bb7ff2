import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { KeyRing } from './ports/key-ring.js'
import type { Log } from '../../application/ports/log.js'
import type { UseCases } from '../../application/use-cases.js'
import { admission } from './auth/admission.js'
import { authenticate } from './auth/authenticate.js'
import { entitiesRoute } from './routes/entities.js'
import { eventsRoute } from './routes/events.js'
import { FaultLog } from './errors/fault-log.js'
import { faultOf } from './errors/fault-of.js'
import { bodyBeyond, faultBody, faultHeaders, HttpFault, plainFault } from './errors/faults.js'
import { awaitsContinue, grantContinue } from './connection/grant-continue.js'
import { hangUpInStages } from './connection/hang-up.js'
import { healthRoutes, livePath } from './routes/health.js'
import { parseJsonStrictly, requireJson } from './requests/json-body.js'
import { openApiRoute } from './routes/open-api.js'
import {
  answerParserFault,
  comesTooLate,
  followRequests,
  refuseConnect,
} from './connection/parser-faults.js'
import type { PhaseHolder } from './connection/lifecycle.js'
import { headFault, requestIdOf } from './requests/request-headers.js'
import { refuseUnknownRoutes } from './errors/unknown-routes.js'
import { jsonType } from './routes/write-reply.js'
import { metricsPath, metricsRoute, type Figures } from './routes/metrics.js'
import { noRoute, observeRequests } from './observe-requests.js'
import type { RateLimit } from './ports/rate-limit.js'
import { nobody, type RequestObserver } from './ports/request-observer.js'
import { hangUpOnUnreadReplies } from './connection/unread-replies.js'

export interface HttpOptions {
  /** The largest body, in bytes. */
  readonly bodyLimit: number
  /** Whether each request gets a line in the log. */
  readonly logRequests: boolean
  /** Told in the OpenAPI document. */
  readonly version: string
  /** How long a client may take, in milliseconds. */
  readonly patience?: Patience
}

export interface Patience {
  readonly headersMs: number
  readonly requestMs: number
  /** Without a byte of a reply that waits to leave. */
  readonly replyMs: number
  readonly idleMs: number
  readonly checkEveryMs: number
}

export interface HttpParts {
  readonly useCases: UseCases
  readonly keyRing: KeyRing
  readonly log: Log
  readonly phase: PhaseHolder
  /** Given when `/metrics` is to be there. */
  readonly figures?: Figures
  readonly observer?: RequestObserver
  /** Given when keys may not ask as often as they like. */
  readonly rateLimit?: RateLimit | undefined
}

const defaultTimeouts: Patience = {
  headersMs: 10_000,
  requestMs: 30_000,
  replyMs: 30_000,
  idleMs: 72_000,
  checkEveryMs: 1_000,
}

/** Made once, as plain faults are. */
const closing = new HttpFault('shutting_down', undefined, [], { Connection: 'close' })

/** What a stop leaves open: whether the process lives, and its last figures. */
const openToTheEnd = new Set<string | undefined>([livePath, metricsPath])

/** The HTTP way in: maps the endpoints onto the use cases, and every error onto the fault form. */
export function createServer(parts: HttpParts, options: HttpOptions): FastifyInstance {
  const { useCases, keyRing, phase } = parts
  const answering = {
    faultLog: new FaultLog(parts.log),
    observer: parts.observer ?? nobody,
    // Made once, as plain faults are.
    bodyTooLarge: bodyBeyond(options.bodyLimit),
  }
  const server = bareServer(answering, options)
  observeRequests(server, answering.observer)
  parseJsonStrictly(server)
  serveByPhase(server, phase)
  answerFaults(server, answering)
  if (options.logRequests) logRequests(server, parts.log)
  grantContinue(server, options.bodyLimit)
  refuseUnknownRoutes(server)
  const guards = [authenticate(keyRing, admission('write', parts.rateLimit)), requireJson]
  entitiesRoute(server, useCases, guards)
  eventsRoute(server, useCases, guards)
  healthRoutes(server, useCases, phase)
  openApiRoute(server, options.version)
  if (parts.figures !== undefined) metricsRoute(server, parts.figures)
  return server
}

/** Who hears of faults, and the one of this server's own. */
interface Answering {
  readonly faultLog: FaultLog
  readonly observer: RequestObserver
  readonly bodyTooLarge: HttpFault
}

function bareServer(answering: Answering, options: HttpOptions): FastifyInstance {
  const { headersMs, requestMs, replyMs, idleMs, checkEveryMs } =
    options.patience ?? defaultTimeouts
  const server = fastify({
    bodyLimit: options.bodyLimit,
    requestTimeout: requestMs,
    connectionTimeout: replyMs,
    keepAliveTimeout: idleMs,
    return503OnClosing: false,
    genReqId: (request) => requestIdOf(request.headers),
    clientErrorHandler: (error, socket) => {
      answerParserFault(error, socket, answering.observer)
    },
    frameworkErrors: (error, request, reply) => {
      answerFault(error, request, reply, answering)
      // No hook runs for what is no request to the framework.
      answering.observer.route(noRoute, noRoute)(reply.statusCode, 0)
    },
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkEveryMs,
      requireHostHeader: false,
    },
  })
  // Headers are bounded by their size. Counted as well, those beyond the count would be lost in silence.
  server.server.maxHeadersCount = 0
  // Whoever has sent all and ends its side still waits for the reply: what it sent may be stored.
  Object.assign(server.server, { httpAllowHalfOpen: true })
  followRequests(server.server)
  hangUpInStages(server.server)
  hangUpOnUnreadReplies(server.server)
  answerOddRequests(server.server, answering.observer)
  return server
}

function answerOddRequests(server: Server, observer: RequestObserver): void {
  server.on('connect', (_request, socket: Duplex) => {
    refuseConnect(socket, observer)
  })
}

function serveByPhase(server: FastifyInstance, holder: PhaseHolder): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('Request-Id', request.id)
    if (holder.phase === 'closing') {
      reply.header('Connection', 'close')
      if (!openToTheEnd.has(request.routeOptions.url)) {
        done(closing)
        return
      }
    }
    done(comesTooLate(request.raw) ? plainFault('malformed_request') : headFault(request.raw))
  })
}

function answerFaults(server: FastifyInstance, answering: Answering): void {
  server.setErrorHandler((error, request, reply) => {
    answerFault(error, request, reply, answering)
  })
  server.addHook('onClose', (_server, done) => {
    answering.faultLog.tellRefused()
    done()
  })
}

function answerFault(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { faultLog, observer, bodyTooLarge }: Answering,
): void {
  // The request's own stream fails when its sender hangs up in the middle: no mistake of ours.
  const cutOff = error === request.raw.errored
  const fault = cutOff ? plainFault('malformed_request') : faultOf(error, bodyTooLarge)
  faultLog.add(request.id, error, fault)
  if (!reply.sent) observer.fault(fault.code)
  // Fastify hangs up after a body it refused, on whoever still sends it and has not read the answer.
  // Node reads such a body to its end, within the time that a request may take.
  if (staysOpen(request, reply, fault)) reply.removeHeader('connection')
  reply.code(fault.status).headers(faultHeaders(fault)).header('Request-Id', request.id)
  void reply.type(jsonType).send(faultBody(fault, request.id, 'idempotency-key' in request.headers))
}

/** Whether Fastify alone wants the end: not the caller, nor we, nor a body that still waits for leave. */
function staysOpen({ raw }: FastifyRequest, reply: FastifyReply, { code }: HttpFault): boolean {
  const heldBack = code === 'body_too_large' && awaitsContinue(raw)
  const announced = reply.raw.hasHeader('connection')
  return reply.hasHeader('connection') && reply.raw.shouldKeepAlive && !announced && !heldBack
}

function logRequests(server: FastifyInstance, log: Log): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method } = request
    const route = request.routeOptions.url ?? 'none'
    const milliseconds = Math.round(reply.elapsedTime * 1_000) / 1_000
    log.info({ requestId, method, route, status: reply.statusCode, milliseconds }, 'a request')
    done()
  })
}
