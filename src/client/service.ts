import { faultOf } from './errors.js'
import type { Health } from './operations.js'
import type { CallOptions, Request } from './requests.js'
import type { Transport } from './transport.js'

/** How the service itself is. Nothing here is repeated: the first answer counts. */
export class Service {
  constructor(private readonly transport: Transport) {}

  /** Resolves while the process works. */
  live(options: CallOptions = {}): Promise<Health> {
    return this.transport.send<'getHealthLive'>(probe('/health/live'), options)
  }

  /** Resolves when the store answers; else `DossierError` with 503. */
  ready(options: CallOptions = {}): Promise<Health> {
    return this.transport.send<'getHealthReady'>(probe('/health/ready'), options)
  }

  /** Resolves when the read model is there and follows the store; else `DossierError` with 503. */
  readyReads(options: CallOptions = {}): Promise<Health> {
    return this.transport.send<'getHealthReadyReads'>(probe('/health/ready/reads'), options)
  }

  /** Metrics in the text form of Prometheus. */
  async metrics(options: CallOptions = {}): Promise<string> {
    return (await this.transport.answer(probe('/metrics'), options)).text
  }

  /** The OpenAPI 3.1 document of the service. */
  async openApi(options: CallOptions = {}): Promise<object> {
    const { response, body } = await this.transport.answer(probe('/openapi.json'), options)
    if (typeof body === 'object' && body !== null) return body
    throw faultOf(response, body, false)
  }
}

function probe(path: string): Request<undefined> {
  return { kind: 'probe', method: 'GET', path }
}
