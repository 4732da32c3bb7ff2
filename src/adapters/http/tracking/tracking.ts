import { setTimeout as pause } from 'node:timers/promises'
import type {
  FastifyInstance,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
} from 'fastify'
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../domain/json.js'
import { rateLimited } from '../auth/authenticate.js'
import { HttpFault, plainFault } from '../errors/faults.js'
import { trackedTypes, type TrackedType } from '../ports/observers.js'
import type { BodyBudget } from '../requests/byte-budgets.js'
import { runItems } from '../requests/run-items.js'
import { brokenRules } from '../requests/validate.js'
import type { RouteParts } from '../routes/route-parts.js'
import { jsonType } from '../replies/write-reply.js'
import { allowOrigins, browserSettings } from './browsers.js'
import { TrackingKeys } from './key-of-request.js'
import { contextPaths } from './picked-context.js'
import { endSlowBody, parsedTracked, readBody } from './read-body.js'
import { ItemsRun } from './run-items.js'
import {
  hasProto,
  isRepeat,
  trackedItem,
  type RefusedItem,
  type TrackedItem,
  type TrackedRequest,
} from './tracked-item.js'
import { timeOf } from './tracked-time.js'
import { maxItems, roomMs } from './tracking-limits.js'
import { success, trackingForm, TrackingResults } from './tracking-reply.js'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The time at which the headers of the request arrived, by the clock that also dates facts. Set
     * only on tracking paths.
     */
    receivedAt: Date | null
  }
}

interface TrackingParts extends RouteParts {
  readonly budget: BodyBudget
}

/**
 * The smallest body, in bytes, for which the size of each item's facts is measured. A fact can be
 * larger than its item: a fact contains a number such as 1e15 with all digits, which is four times
 * as long. A smaller body never leads to a fact that is too large.
 */
const minLargeBytes = 131_072

const settingsPath = '/v1/projects/:writeKey/settings'

/** The item type that each path under `/v1` accepts. Browsers use the one-letter paths. */
const calls: ReadonlyMap<string, TrackedType | 'batch' | 'telemetry'> = new Map([
  ...trackedTypes.flatMap((type) => [[type, type] as const, [type.charAt(0), type] as const]),
  ['batch', 'batch'],
  ['b', 'batch'],
  ['import', 'batch'],
  ['m', 'telemetry'],
])

/**
 * Returns the content that the request's path accepts: an item type, a batch or telemetry. The path
 * is the only parameter of its route.
 */
function callOf({ params }: FastifyRequest) {
  const values: readonly unknown[] = Object.values(params ?? {})
  const name = values[0]
  return typeof name === 'string' ? calls.get(name) : undefined
}

/**
 * Adds Segment's tracking protocol under `/v1`. The protocol has other paths, keys, bodies and
 * replies than our API, and runs the same use cases.
 * - `read-body.ts` reads a body, and `key-of-request.ts` finds its API key.
 * - `tracked-item.ts` converts an item into writes, with `item-members.ts`, `tracked-time.ts` and
 * `picked-context.ts`.
 * - `run-items.ts` stores the items, and `tracking-reply.ts` replies.
 * - `browsers.ts` lets pages of other origins call.
 */
export function addTracking(server: FastifyInstance, parts: TrackingParts): void {
  const { keyRing, clock, faults, budget, tracking: options } = parts
  const keys = new TrackingKeys(keyRing)
  const protocol = new Tracking(parts, keys)
  server.decorateRequest('receivedAt', null)
  const addRoutes: FastifyPluginCallback = (scope, _options, registered) => {
    faults.addForm(scope, trackingForm)
    scope.addHook('onSend', allowOrigins(options.origins))
    scope.removeAllContentTypeParsers()
    // Leaves the body to the handler, which limits its size while the bytes arrive.
    scope.addContentTypeParser('*', (_request, _bytes, done) => {
      done(null)
    })
    scope.addHook('onRequest', (request, _reply, done) => {
      request.receivedAt = clock.now()
      done()
    })
    const judgeCall: onRequestHookHandler = function (request, reply, done) {
      const call = callOf(request)
      if (call === undefined) done(plainFault('route_not_found'))
      else if (call === 'telemetry') done()
      else keys.judgeHeader.call(this, request, reply, done)
    }
    const hooks = { onRequest: [endSlowBody, judgeCall], onSend: budget.release }
    scope.post('/v1/:call', hooks, (request, reply) => {
      const call = callOf(request)
      if (call === undefined) throw plainFault('route_not_found')
      // Accepts telemetry about the SDKs and does not store it.
      if (call === 'telemetry') return reply.type(jsonType).send(success)
      return protocol.take(request, reply, call === 'batch' ? undefined : call)
    })
    scope.get<{ Params: { writeKey: string } }>(settingsPath, (request, reply) => {
      const { writeKey } = request.params
      if (!keys.isKey(writeKey)) throw plainFault('route_not_found')
      return reply.type(jsonType).send(browserSettings(writeKey, request, options.publicUrl))
    })
    scope.options(settingsPath, (_request, reply) => reply.code(204).send())
    scope.all('/v1/*', { onRequest: endSlowBody }, (request, reply) => {
      if (callOf(request) === undefined) throw plainFault('route_not_found')
      if (request.method === 'OPTIONS') return reply.code(204).send()
      throw new HttpFault('method_not_allowed', undefined, [], { Allow: 'POST, OPTIONS' })
    })
    registered()
  }
  void server.register(Object.assign(addRoutes, named))
}

/** Names the plugin in Fastify's messages. Without a name, Fastify searches all loaded modules for one. */
const named = { [Symbol.for('fastify.display-name')]: 'tracking' }

class Tracking {
  private readonly paths: TrackedRequest['contextPaths']

  constructor(
    private readonly parts: TrackingParts,
    private readonly keys: TrackingKeys,
  ) {
    this.paths = contextPaths(parts.tracking.context)
  }

  /** Handles a request. `type` is the type of its single item, or undefined for a batch. */
  async take(
    request: FastifyRequest,
    reply: FastifyReply,
    type: TrackedType | undefined,
  ): Promise<FastifyReply> {
    const bytes = await readBody(request, this.parts.budget)
    const begun = performance.now()
    const leftMs = () => roomMs - (performance.now() - begun)
    const { atWork } = this.parts
    for (;;) {
      const taken = await atWork.run(request, bytes, Math.max(0, leftMs()), async () => {
        if (leftMs() <= 0) throw plainFault('overloaded')
        return this.takeItems(request, bytes, type)
      })
      if (typeof taken !== 'number') return taken.send(reply, this.parts.tracking.isLenient)
      // Waits outside `atWork`, so that other requests can be processed during the wait.
      if (taken * 1_000 > leftMs()) throw rateLimited(taken)
      await pause(taken * 1_000)
    }
  }

  /**
   * Returns the results of the items. If the key is over its rate limit, returns the number of
   * seconds to wait instead.
   */
  private async takeItems(
    request: FastifyRequest,
    bytes: Buffer,
    type: TrackedType | undefined,
  ): Promise<number | TrackingResults> {
    const parsing = parsedTracked(bytes)
    const { body, mayHaveProto } = await this.parts.turns.run(request.keyId, parsing)
    this.keys.judgeBody(request, body)
    const items = itemsOf(body, type)
    const seconds = await this.parts.rateLimit?.take(request.keyId, items.length)
    if (seconds !== undefined) return seconds
    const batch = type === undefined && isJsonObject(body) ? body : {}
    const around: TrackedRequest = {
      receipt: request.receivedAt ?? this.parts.clock.now(),
      sentAt: timeOf(batch['sentAt']),
      context: contextOf(batch, mayHaveProto),
      isRetry: isRepeat(batch['_metadata']) || Number(request.headers['x-retry-count'] ?? 0) > 0,
      mayHaveProto,
      mayBeLarge: bytes.length > minLargeBytes,
      contextPaths: this.paths,
    }
    const placeOf = (index: number) => (type === undefined ? `/batch/${String(index)}` : '')
    return this.store(request, items, (item) => trackedItem(item, type, around), placeOf)
  }

  private async store(
    request: FastifyRequest,
    sent: readonly Json[],
    itemOf: (sent: Json) => TrackedItem | RefusedItem,
    placeOf: (index: number) => string,
  ): Promise<TrackingResults> {
    const { useCases, faults, trackingObserver: observer, turns } = this.parts
    // Hides erased entities from a key that can only track, because such a key is public.
    const maySeeErased = request.keyHolder?.scopes.includes('write') === true
    const results = new TrackingResults(
      faults.ofBatch(request, placeOf),
      observer,
      request.id,
      maySeeErased,
    )
    const items: (TrackedItem | RefusedItem)[] = []
    await runItems(request, turns, {
      sent,
      read: (one) => {
        const item = itemOf(one)
        items.push(item)
        if ('details' in item) throw brokenRules(item.details)
        return item
      },
      run: (ready) => new ItemsRun(ready, useCases, request, turns).run(),
      add: (outcome, index) => {
        const item = items[index]
        if (item !== undefined) results.add(index, item, outcome)
      },
    })
    return results
  }
}

/**
 * Returns the context of a batch. Ignores a context with a member "__proto__", because no property may have that
 * name.
 */
function contextOf({ context }: JsonObject, mayHaveProto: boolean): Json | undefined {
  if (context === undefined || !isJsonObject(context)) return undefined
  return mayHaveProto && hasProto(context) ? undefined : context
}

/** Returns the items of a body. Throws `validation_failed` and `body_too_large`. */
function itemsOf(body: Json, type: TrackedType | undefined): readonly Json[] {
  if (type !== undefined) return [body]
  const items = isJsonObject(body) ? body['batch'] : undefined
  if (items === undefined || !isJsonArray(items) || items.length === 0) {
    throw new HttpFault(
      'validation_failed',
      'Send an object with "batch": a list of 1 to 2,500 items.',
    )
  }
  if (items.length > maxItems) {
    throw new HttpFault('body_too_large', `A batch has at most ${String(maxItems)} items.`)
  }
  return items
}
