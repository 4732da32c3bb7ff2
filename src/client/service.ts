import type { RefusalsQuery } from './types.js'
import type { Health, Key, Refusals, ServiceStatus } from './api-types.js'
import { faultOf } from './errors.js'
import { withQuery, type CallOptions, type Request } from './requests.js'
import type { Transport } from './transport.js'

/**
 * The state of the service itself. These calls are not retried: a failure is an answer about the
 * state.
 */
export class Service {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Resolves if the process is running. */
  live(options: CallOptions = {}): Promise<Health> {
    return this.transport.send<'getHealthLive'>(probe('/health/live'), options)
  }

  /** Resolves if the store answers. Otherwise throws `DossierError` with status 503. */
  ready(options: CallOptions = {}): Promise<Health> {
    return this.transport.send<'getHealthReady'>(probe('/health/ready'), options)
  }

  /**
   * Resolves if the read model exists and follows the store. Otherwise throws `DossierError` with
   * status 503.
   */
  readyReads(options: CallOptions = {}): Promise<Health> {
    return this.transport.send<'getHealthReadyReads'>(probe('/health/ready/reads'), options)
  }

  /** Returns the holder, the scopes and the limits of this client's key. */
  key(options: CallOptions = {}): Promise<Key> {
    return this.transport.send<'getKey'>(probe('/key'), options)
  }

  /**
   * Returns the state of the process that replies: its store, the progress of its read model, and
   * unpublished facts.
   */
  status(options: CallOptions = {}): Promise<ServiceStatus> {
    return this.transport.send<'getStatus'>(probe('/status'), options)
  }

  /** The latest requests that the replying process has refused, oldest first: writes, and reads if included. */
  refusals(query: RefusalsQuery = {}, options: CallOptions = {}): Promise<Refusals> {
    const { include, cursor, limit } = query
    const path = withQuery('/refusals', { include, cursor, limit })
    return this.transport.send<'getRefusals'>(probe(path), options)
  }

  /** Returns the metrics in the text format of Prometheus. */
  async metrics(options: CallOptions = {}): Promise<string> {
    return (await this.transport.answer(probe('/metrics'), options)).text
  }

  /** Returns the OpenAPI 3.1 document of the service. */
  async openApi(options: CallOptions = {}): Promise<object> {
    const { response, body } = await this.transport.answer(probe('/openapi.json'), options)
    if (typeof body === 'object' && body !== null) return body
    throw faultOf(response, body, false)
  }
}

function probe(path: string): Request<undefined> {
  return { kind: 'probe', method: 'GET', path }
}
