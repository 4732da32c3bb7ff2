import { Entities } from './entities.js'
import type { DossierError } from './errors.js'
import { Facts, type FactsOptions } from './facts.js'
import { HighestPosition } from './position.js'
import { SegmentCalls } from './segment-calls.js'
import { Service } from './service.js'
import { Transport } from './transport.js'

export interface CallsOptions {
  /** Where the service is: `https://dossier.example.org`, with a path if it has one. */
  readonly url: string | URL
  /** An API key of the service. */
  readonly key: string
  /** Where to begin; another client: the two share the highest Position from here on. */
  readonly position?: string | Calls | undefined
  /** How long a call may take with all its repeats, in milliseconds: 30,000 if nothing is said. */
  readonly timeoutMs?: number | undefined
  /** Called before something is sent again, with why, and after how many milliseconds: for a log. */
  readonly onRetry?: ((error: DossierError, pauseMs: number) => void) | undefined
  /** In place of the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/**
 * All single calls of the service. Programs use `Dossier`, which has batches besides; a page that needs none
 * is smaller without them.
 */
export class Calls {
  readonly entities: Entities
  readonly segments: SegmentCalls
  readonly service: Service
  protected readonly transport: Transport
  private readonly highest: HighestPosition

  constructor(options: CallsOptions) {
    const { url, key, position, timeoutMs = 30_000, onRetry = () => undefined, fetch } = options
    this.highest = position instanceof Calls ? position.highest : new HighestPosition(position)
    this.transport = new Transport({
      origin: withoutSlash(String(url)),
      key,
      position: this.highest,
      timeoutMs,
      onRetry,
      fetch: fetch ?? ((...request) => globalThis.fetch(...request)),
    })
    this.entities = new Entities(this.transport)
    this.segments = new SegmentCalls(this.transport)
    this.service = new Service(this.transport)
  }

  /** The highest Position seen: decimal text; undefined when none was. Keep it, or pass it on. */
  get position(): string | undefined {
    return this.highest.value
  }

  /**
   * Takes note of a Position that came another way: from another program, from EventStoreDB. Reads know it
   * from here on.
   */
  note(position: string): void {
    this.highest.note(position, this.highest.era)
  }

  /** Drops the Position: after 412 `position_unknown`, when the store is another one or was restored. */
  forget(): void {
    this.highest.forget()
  }

  /**
   * All facts in their order, as they come: `for await (const fact of dossier.facts({ after }))`. Keep
   * `fact.cursor` together with what the fact changed, and begin there: each takes effect exactly once.
   */
  facts(options: FactsOptions = {}): Facts {
    return new Facts(this.transport, options)
  }
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? withoutSlash(url.slice(0, -1)) : url
}
