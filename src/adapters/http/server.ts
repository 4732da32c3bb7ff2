import { maxHeaderSize } from 'node:http'
import { fastify, type FastifyInstance } from 'fastify'
import type { Clock } from '../../application/ports/clock-and-ids.js'
import type { Log } from '../../application/ports/log.js'
import type { UseCases } from '../../application/use-cases.js'
import { admission, authenticate, holderOf } from './auth/authenticate.js'
import { addConsole } from './console/console.js'
import type { ConsoleFiles } from './console/console-files.js'
import type { Lifecycle } from './connection/lifecycle.js'
import { answerParserFault } from './connection/parser-faults.js'
import { FaultAnswers } from './errors/answer-faults.js'
import { plainFault } from './errors/faults.js'
import { FaultLog } from './errors/fault-log.js'
import { Refusals } from './errors/refusals.js'
import { refuseUnknownRoutes, type Route } from './errors/unknown-routes.js'
import { defaultStreamTimers, type StreamTimers } from './feed/open-streams.js'
import { logRequests, observeRequests } from './observe-requests.js'
import type { KeyRing, RateLimit } from './ports/key-ring.js'
import type { MetricsText, RequestObserver, TrackingObserver } from './ports/observers.js'
import { parseJsonStrictly, requireJson, requireJsonOfBody } from './requests/json-body.js'
import { BodyBudget, ReplyBudget } from './requests/byte-budgets.js'
import { headFault, requestIdOf } from './requests/request-headers.js'
import { batchBodyLimit, maxItems } from './routes/batch.js'
import { livePath, metricsPath } from './routes/health.js'
import { openApiDocument } from './routes/open-api.js'
import type { Guards, KeyLimits } from './routes/route-parts.js'
import { urlOf } from './routes/route.js'
import { readRoutes, routes } from './routes/routes.js'
import { addTracking, type TrackingOptions } from './tracking/tracking.js'

export interface HttpOptions {
  /** The largest body, in bytes. */
  readonly bodyLimit: number
  /** The rate of each key, to be shown; `HttpParts.rateLimit` limits it. Undefined: no limit. */
  readonly requestsASecond?: number | undefined
  /** Bytes of the bodies of all batches under way at once. */
  readonly batchBytes: number
  /** How long a batch may wait for others, in milliseconds. */
  readonly batchWaitMs: number
  /** How long a read may wait for the position that it is to know, in milliseconds. */
  readonly readWaitMs: number
  readonly searchProperties: readonly string[]
  readonly logRequests: boolean
  /** Stands in the OpenAPI document. */
  readonly version: string
  readonly tracking: TrackingOptions
  readonly timeouts?: Timeouts
}

/** How long a client may take, in milliseconds. */
export interface Timeouts {
  readonly headersMs: number
  readonly requestMs: number
  /** Without a byte in either direction while a request is under way: longer than the store may take. */
  readonly silenceMs: number
  /** Between two requests. */
  readonly keepAliveMs: number
  /** How often the first two are checked. */
  readonly checkEveryMs: number
}

export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  silenceMs: 30_000,
  keepAliveMs: 72_000,
  checkEveryMs: 1_000,
}

interface HttpParts {
  readonly useCases: UseCases
  readonly keyRing: KeyRing
  readonly clock: Clock
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly metrics: MetricsText
  readonly observer: RequestObserver
  readonly trackingObserver: TrackingObserver
  /** Given when the requests of a key are limited. */
  readonly rateLimit?: RateLimit | undefined
  /** False while persons are erased again, whom the store does not know as erased: nothing is served then. */
  readonly isWhole?: (() => boolean) | undefined
  /** The web page; undefined: there is none. */
  readonly console?: ConsoleFiles | undefined
  /** Given by tests. */
  readonly streamTimers?: StreamTimers | undefined
}

/** Answered while the service closes: whether the process works, and its last metrics. */
const answeredToTheEnd = new Set<string | undefined>([livePath, metricsPath])

/** The HTTP way in: maps the endpoints onto the use cases, and every error onto the form of faults. */
export function createServer(parts: HttpParts, options: HttpOptions): FastifyInstance {
  const { useCases, clock, lifecycle, metrics, observer, log } = parts
  const { reading } = useCases
  const refusals = new Refusals(() => clock.now())
  const faultAnswers = new FaultAnswers(new FaultLog(log), observer, refusals)
  const server = bareServer(faultAnswers, observer, options)
  lifecycle.watch(server, answeredToTheEnd)
  checkHeads(server, parts.isWhole)
  observeRequests(server, observer)
  parseJsonStrictly(server)
  faultAnswers.addTo(server)
  if (options.logRequests) logRequests(server, log)
  refuseUnknownRoutes(server, reading === undefined ? readRoutes.map(asRouted) : [])
  server.decorateRequest('keyHolder', null)
  server.decorateRequest('keyId', {
    getter() {
      return this.keyHolder?.id ?? ''
    },
  })
  let text: string | undefined
  const documentText = () => {
    const served = reading === undefined ? routes : [...routes, ...readRoutes]
    text ??= JSON.stringify(openApiDocument(served, options.version))
    return text
  }
  const budget = new BodyBudget(options.batchBytes, batchBodyLimit)
  const routeParts = {
    useCases,
    clock,
    lifecycle,
    log,
    metrics,
    guards: guardsOf(parts, budget),
    faults: faultAnswers,
    rateLimit: parts.rateLimit,
    batchWaitMs: options.batchWaitMs,
    readWaitMs: options.readWaitMs,
    version: options.version,
    limits: limitsOf(options),
    searchProperties: options.searchProperties,
    refusals,
    documentText,
  }
  for (const route of routes) route.addTo(server, routeParts)
  if (parts.console !== undefined) addConsole(server, parts.console)
  addTracking(server, {
    ...routeParts,
    keyRing: parts.keyRing,
    observer: parts.trackingObserver,
    budget,
    options: options.tracking,
  })
  if (reading !== undefined) {
    const { streamTimers = defaultStreamTimers } = parts
    const replies = new ReplyBudget()
    const readParts = { ...routeParts, reading, streamTimers, observer, replies }
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
    any: letIn('read', 'write', 'segments', 'erase'),
  }
  const bodies = { none: [], needed: [requireJson], optional: [requireJsonOfBody] }
  // A batch is counted when its items are parsed. Until its body is read: whether it may pass at all.
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
    // `Lifecycle` refuses requests in our form, and closes what is left at the end.
    return503OnClosing: false,
    forceCloseConnections: true,
    genReqId: (request) => requestIdOf(request.headers),
    clientErrorHandler: (error, socket) => {
      answerParserFault(error, socket, observer)
    },
    frameworkErrors: (error, request, reply) => {
      faultAnswers.answerUnrouted(error, request, reply)
    },
    // The domain says how long a name may be; the parser below bounds what can come.
    routerOptions: { maxParamLength: maxHeaderSize },
    // Fastify's own compilers take a tenth of the time of a start, and would have nothing to compile.
    schemaController: {
      compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
    },
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
      // `headFault` checks it, in our form.
      requireHostHeader: false,
    },
  })
  // Headers are limited by their size. Those beyond a count would be dropped in silence.
  server.server.maxHeadersCount = 0
  // Another expectation is ignored; Node would answer 417 without a body.
  server.server.on('checkExpectation', (request, response) => {
    server.routing(request, response)
  })
  return server
}

/** Routes validate with zod: a schema that is given to Fastify is a mistake of ours. */
function noCompiler(): never {
  throw new TypeError('no route may give Fastify a schema')
}

function checkHeads(server: FastifyInstance, isWhole: () => boolean = () => true): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('Request-Id', request.id)
    const isAnswered = answeredToTheEnd.has(request.routeOptions.url) || isWhole()
    done(isAnswered ? headFault(request.raw) : plainFault('store_unavailable'))
  })
}
