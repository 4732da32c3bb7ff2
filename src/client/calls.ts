import { Entities } from './entities.js'
import { Erasures } from './erasures.js'
import type { DossierError } from './errors.js'
import { Facts, type FactsOptions } from './facts.js'
import { HighestPosition } from './position.js'
import type { Dictionary, Totals } from './api-types.js'
import { reading, withQuery, type ReadOptions } from './requests.js'
import type { TotalsQuery } from './types.js'
import { SegmentCalls } from './segment-calls.js'
import { Service } from './service.js'
import { Transport } from './transport.js'
import { Webhooks } from './webhooks.js'

export interface CallsOptions {
  /** The address of the service, such as `https://dossier.example.org`, with a path if it has one. */
  readonly url: string | URL
  /** An API key of the service. */
  readonly key: string
  /**
   * The Position to start with. Or another client, with which this client shares the highest
   * Position.
   */
  readonly position?: string | Calls | undefined
  /** The time limit of a call with all its retries, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** Called before each retry with the error and the pause in milliseconds. Use it for logging. */
  readonly onRetry?: ((error: DossierError, pauseMs: number) => void) | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/**
 * All calls except batches. Programs use `Dossier`. A web page that sends no batches can use
 * `Calls` to load less code.
 */
export class Calls {
  readonly entities: Entities
  readonly segments: SegmentCalls
  readonly erasures: Erasures
  readonly webhooks: Webhooks
  readonly service: Service
  /** @internal */
  protected readonly transport: Transport
  private readonly highest: HighestPosition

  /** Throws a `TypeError` when `url` is not an http or https address. */
  constructor(options: CallsOptions) {
    const { url, key, position, timeoutMs = 30_000, onRetry = () => undefined, fetch } = options
    this.highest = position instanceof Calls ? position.highest : new HighestPosition(position)
    this.transport = new Transport({
      origin: originOf(url),
      key,
      position: this.highest,
      timeoutMs,
      onRetry,
      fetch: fetch ?? ((...request) => globalThis.fetch(...request)),
    })
    this.entities = new Entities(this.transport)
    this.segments = new SegmentCalls(this.transport)
    this.erasures = new Erasures(this.transport)
    this.webhooks = new Webhooks(this.transport)
    this.service = new Service(this.transport)
  }

  /**
   * The highest Position seen, as decimal text. Undefined before the first reply. Store it, or pass
   * it to another client.
   */
  get position(): string | undefined {
    return this.highest.value
  }

  /**
   * Records a Position from another source, such as another program or EventStoreDB. Later reads
   * include the facts up to this Position.
   */
  note(position: string): void {
    this.highest.note(position, this.highest.era)
  }

  /**
   * Drops the Position. Call it after 412 `position_unknown`, which means that the store was
   * replaced or restored.
   */
  forget(): void {
    this.highest.forget()
  }

  /**
   * Returns the names of all events and properties, with counts and JSON types. Throws
   * `DossierError`.
   */
  dictionary(options: ReadOptions = {}): Promise<Dictionary> {
    return this.transport.send<'getDictionary'>(reading(options, '/dictionary'), options)
  }

  /** Returns the number of entities and events, in total and per day. Throws `DossierError`. */
  totals(query: TotalsQuery = {}, options: ReadOptions = {}): Promise<Totals> {
    const path = withQuery('/totals', { ...query })
    return this.transport.send<'getTotals'>(reading(options, path), options)
  }

  /**
   * Reads all facts in order, and then new facts as they arrive: `for await (const fact of
   * dossier.facts({ after }))`. Store `fact.cursor` together with the changes that the fact causes,
   * and pass the stored cursor as `after` when you start again. Each fact then takes effect exactly
   * once.
   */
  facts(options: FactsOptions = {}): Facts {
    return new Facts(this.transport, options)
  }
}

/**
 * Throws a `TypeError` for an address that cannot be requested. Without this check, a typo would
 * look like an outage.
 */
function originOf(url: string | URL): string {
  const text = String(url)
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new TypeError('url must be an http or https address such as https://dossier.example.org')
  }
  return withoutSlash(text)
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? withoutSlash(url.slice(0, -1)) : url
}
