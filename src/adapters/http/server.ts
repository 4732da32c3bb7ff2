import { maxHeaderSize } from 'node:http'
import { fastify, type FastifyInstance } from 'fastify'
import { FairTurns } from '../../application/fair-turns.js'
import { admission, authenticate, holderOf } from './auth/authenticate.js'
import { addClient } from './client/client.js'
import { addConsole } from './console/console.js'
import { answerParserFault } from './connection/parser-faults.js'
import { FaultAnswers } from './errors/answer-faults.js'
import { plainFault } from './errors/faults.js'
import { FaultLog } from './errors/fault-log.js'
import { Refusals } from './errors/refusals.js'
import { refuseUnknownRoutes, type Route } from './errors/unknown-routes.js'
import { defaultStreamTimers } from './feed/open-streams.js'
import { defaultTimeouts, type HttpOptions, type HttpParts } from './http-options.js'
import { logRequests, observeRequests } from './observe-requests.js'
import type { RequestObserver } from './ports/observers.js'
import { parseJsonStrictly, requireJson, requireJsonOfBody } from './requests/json-body.js'
import { BodiesAtWork, BodyBudget, ReplyBudget } from './requests/byte-budgets.js'
import { headFault, requestIdOf } from './requests/request-headers.js'
import { batchBodyLimit, maxItems } from './routes/batch.js'
import { documentTextOf } from './routes/document-text.js'
import { livePath, metricsPath, readyPath } from './routes/health.js'
import type { Guards, KeyLimits } from './routes/route-parts.js'
import { urlOf } from './routes/route.js'
import { readRoutes, routes } from './routes/routes.js'
import { addTracking } from './tracking/tracking.js'
import { addStartingPoint } from './routes/starting-point.js'

/** The URLs of routes that are still answered while the service closes. */
const answeredToTheEnd = new Set<string | undefined>([livePath, metricsPath])

/**
 * Creates the HTTP server. `routes` map requests to use cases, and `errors` map errors to faults.
 * `requests` parses queries, bodies, headers and cursors; `auth` checks API keys. `connection`
 * handles startup, the graceful stop and low-level errors. `feed` sends streams, and `tracking`
 * implements Segment's protocol. `console` serves the web console, and `client` serves the client's
 * package.
 */
export function createServer(parts: HttpParts, options: HttpOptions): FastifyInstance {
  const { useCases, clock, lifecycle, observer, log } = parts
  const { reading } = useCases
  const refusals = new Refusals(() => clock.now())
  const faultAnswers = new FaultAnswers(new FaultLog(log), observer, refusals)
  const server = bareServer(faultAnswers, observer, options)
  // Exempts the readiness route, because its own reply says why the service closes.
  lifecycle.watch(server, new Set([...answeredToTheEnd, readyPath]))
  checkHeads(server, parts.hasLedgerCaughtUp)
  observeRequests(server, observer)
  const turns = parts.turns ?? new FairTurns()
  parseJsonStrictly(server, turns)
  faultAnswers.addTo(server)
  if (options.logRequests) logRequests(server, log)
  refuseUnknownRoutes(server, reading === undefined ? readRoutes.map(asRouted) : [])
  server.decorateRequest('keyHolder', null)
  server.decorateRequest('keyId', {
    getter() {
      return this.keyHolder?.id ?? ''
    },
  })
  const documentText = () =>
    parts.document ?? documentTextOf(options.version, reading !== undefined)
  const budget = new BodyBudget(options.batchBytes, batchBodyLimit)
  const routeParts = {
    ...parts,
    ...options,
    guards: guardsOf(parts, budget),
    faults: faultAnswers,
    limits: limitsOf(options),
    refusals,
    documentText,
    atWork: new BodiesAtWork(),
    turns,
  }
  for (const route of routes) route.addTo(server, routeParts)
  addStartingPoint(server, { version: options.version, hasConsole: parts.console !== undefined })
  if (parts.console !== undefined) addConsole(server, parts.console)
  if (parts.client !== undefined) addClient(server, parts.client)
  addTracking(server, { ...routeParts, budget })
  if (reading !== undefined) {
    const { streamTimers = defaultStreamTimers } = parts
    const replies = new ReplyBudget()
    const readParts = { ...routeParts, reading, streamTimers, replies }
    for (const route of readRoutes) route.addTo(server, readParts)
  }
  return server
}

function limitsOf({ bodyLimit, requestsASecond }: HttpOptions): KeyLimits {
  return {
    requests_a_second: requestsASecond ?? null,
    body_bytes: bodyLimit,
    batch_bytes: batchBodyLimit,
    batch_items: maxItems,
  }
}

function asRouted({ method, path }: (typeof readRoutes)[number]): Route {
  return { method: method.toUpperCase(), url: urlOf(path) }
}

function guardsOf({ keyRing, rateLimit }: HttpParts, budget: BodyBudget): Guards {
  const letIn = (...scopes: Parameters<typeof admission>[0]) =>
    authenticate(keyRing, admission(scopes, rateLimit))
  const keys = {
    read: letIn('read'),
    write: letIn('write'),
    segments: letIn('segments'),
    erase: letIn('erase'),
    webhooks: letIn('webhooks'),
    any: letIn('read', 'write', 'segments', 'erase', 'webhooks'),
  }
  const bodies = { none: [], needed: [requireJson], optional: [requireJsonOfBody] }
  // Only checks whether a request would be admitted. The handler of a batch counts the items after
  // parsing them.
  const uncounted = rateLimit && { take: (keyId: string) => rateLimit.take(keyId, 0) }
  return {
    of: (scope, body) => [keys[scope], ...bodies[body]],
    mayStillRead: (request) => holderOf(keyRing, request)?.scopes.includes('read') === true,
    batch: {
      onRequest: [
        authenticate(keyRing, admission(['write'], uncounted)),
        requireJson,
        budget.reserve,
      ],
      onSend: budget.release,
    },
  }
}

function bareServer(
  faultAnswers: FaultAnswers,
  observer: RequestObserver,
  { bodyLimit, timeouts = defaultTimeouts }: HttpOptions,
): FastifyInstance {
  const server = fastify({
    bodyLimit,
    requestTimeout: timeouts.requestMs,
    connectionTimeout: timeouts.silenceMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    // Turns off Fastify's own refusals while closing: `Lifecycle` refuses requests in our error
    // format, and closes the remaining connections at the end.
    return503OnClosing: false,
    forceCloseConnections: true,
    genReqId: (request) => requestIdOf(request.headers),
    clientErrorHandler: (error, socket) => {
      answerParserFault(error, socket, observer)
    },
    frameworkErrors: (error, request, reply) => {
      faultAnswers.answerUnrouted(error, request, reply)
    },
    // Sets no limit here, because the domain limits the length of names, and Node's parser limits
    // the length of paths.
    routerOptions: { maxParamLength: maxHeaderSize },
    // Skips Fastify's own schema compilers. They need a tenth of the startup time and have nothing
    // to compile.
    schemaController: {
      compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
    },
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
      // `headFault` checks the Host header and replies with our error format.
      requireHostHeader: false,
    },
  })
  // Sets no limit for the number of headers, because Node would silently drop the headers above it.
  // The size of all headers is limited instead.
  server.server.maxHeadersCount = 0
  // Ignores unknown values of Expect, because Node would answer 417 without a body.
  server.server.on('checkExpectation', (request, response) => {
    server.routing(request, response)
  })
  return server
}

/** Throws, because zod validates requests and no route may give Fastify a schema. */
function noCompiler(): never {
  throw new TypeError('no route may give Fastify a schema')
}

function checkHeads(server: FastifyInstance, hasLedgerCaughtUp: () => boolean = () => true): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('Request-Id', request.id)
    const isAnswered = answeredToTheEnd.has(request.routeOptions.url) || hasLedgerCaughtUp()
    done(isAnswered ? headFault(request.raw) : plainFault('store_unavailable'))
  })
}
