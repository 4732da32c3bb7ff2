import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { KeyRing } from '../../application/ports/key-ring.js'
import type { Log } from '../../application/ports/log.js'
import type { UseCases } from '../../application/use-cases.js'
import { authenticate } from './authenticate.js'
import { entitiesRoute } from './entities-route.js'
import { eventsRoute } from './events-route.js'
import { faultOf } from './fault-of.js'
import { faultBody, faultHeaders, HttpFault } from './faults.js'
import { healthRoutes, livePath } from './health-routes.js'
import { parseJsonStrictly, requireJson } from './json-body.js'
import { openApiRoute } from './open-api-route.js'
import { answerParserFault, refuseConnect } from './parser-faults.js'
import type { PhaseHolder } from './phase.js'
import { requestIdOf } from './request-headers.js'
import { jsonType } from './write-reply.js'

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
  readonly idleMs: number
  readonly checkEveryMs: number
}

export interface HttpParts {
  readonly useCases: UseCases
  readonly keyRing: KeyRing
  readonly log: Log
  readonly phase: PhaseHolder
}

const usualPatience: Patience = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 72_000,
  checkEveryMs: 1_000,
}

/** The HTTP way in: maps the endpoints onto the use cases, and every error onto the fault form. */
export function createServer(parts: HttpParts, options: HttpOptions): FastifyInstance {
  const { useCases, keyRing, phase } = parts
  const server = bareServer(parts, options)
  parseJsonStrictly(server)
  serveByPhase(server, phase)
  answerFaults(server, parts.log)
  if (options.logRequests) logRequests(server, parts.log)
  const guards = [authenticate(keyRing, 'write'), requireJson]
  const methods = methodsByPath(server)
  entitiesRoute(server, useCases, guards)
  eventsRoute(server, useCases, guards)
  healthRoutes(server, useCases, phase)
  openApiRoute(server, options.version)
  refuseUnknown(server, methods)
  return server
}

function bareServer({ log }: HttpParts, options: HttpOptions): FastifyInstance {
  const { headersMs, requestMs, idleMs, checkEveryMs } = options.patience ?? usualPatience
  const server = fastify({
    bodyLimit: options.bodyLimit,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    return503OnClosing: false,
    genReqId: (request) => requestIdOf(request.headers),
    clientErrorHandler: answerParserFault,
    frameworkErrors: (error, request, reply) => {
      answerFault(error, request, reply, log)
    },
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkEveryMs,
      requireHostHeader: false,
    },
  })
  answerOddRequests(server.server)
  return server
}

function answerOddRequests(server: Server): void {
  server.on('connect', (_request, socket: Duplex) => {
    refuseConnect(socket)
  })
  server.on('checkExpectation', (request, response) => {
    server.emit('request', request, response)
  })
}

function serveByPhase(server: FastifyInstance, holder: PhaseHolder): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('Request-Id', request.id)
    if (holder.phase === 'closing') {
      reply.header('Connection', 'close')
      if (request.url !== livePath) {
        done(new HttpFault('shutting_down', undefined, [], { Connection: 'close' }))
        return
      }
    }
    const { raw } = request
    const named = raw.headers.host !== undefined || raw.httpVersion === '1.0'
    done(named ? undefined : new HttpFault('malformed_request', 'Send a Host header.'))
  })
}

function answerFaults(server: FastifyInstance, log: Log): void {
  server.setErrorHandler((error, request, reply) => {
    answerFault(error, request, reply, log)
  })
}

function answerFault(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): void {
  const fault = faultOf(error, 'idempotency-key' in request.headers)
  if (fault.status >= 500 && fault.code !== 'shutting_down') {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    log.error({ requestId: request.id, code: fault.code, reason }, 'a request failed')
  }
  // Fastify hangs up after a body it could not parse; one that has been read to its end is no reason.
  if (request.raw.complete && reply.hasHeader('connection')) reply.removeHeader('connection')
  reply.code(fault.status).headers(faultHeaders(fault)).header('Request-Id', request.id)
  void reply.type(jsonType).send(faultBody(fault, request.id))
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

/** Fills as routes are added. */
function methodsByPath(server: FastifyInstance): ReadonlyMap<string, Set<string>> {
  const methods = new Map<string, Set<string>>()
  server.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set()
    methods.set(url, known)
    for (const one of [method].flat()) known.add(one)
  })
  return methods
}

function refuseUnknown(server: FastifyInstance, methods: ReadonlyMap<string, Set<string>>): void {
  server.setNotFoundHandler((request) => {
    const [path = ''] = request.url.split(/[?#]/, 1)
    const allowed = methods.get(path)
    if (allowed === undefined) throw new HttpFault('route_not_found')
    const headers = { Allow: [...allowed].join(', ') }
    throw new HttpFault('method_not_allowed', undefined, [], headers)
  })
}
