import type { ErasureListQuery } from './types.js'
import type { ErasureConfirmation, ErasureDryRun, ErasureReceipt, NewErasure } from './api-types.js'
import { DossierError } from './errors.js'
import { Pages } from './pages.js'
import {
  keyed,
  objectIn,
  step,
  withQuery,
  type CallOptions,
  type Request,
  type WriteOptions,
} from './requests.js'
import type { Transport } from './transport.js'

/** Erases entities. Every method throws `DossierError`. */
export class Erasures {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /**
   * Erases an entity. After the promise resolves, no request finds data of the entity. The receipt
   * lists the data that is already removed and the data that remains. Errors: 404
   * `entity_not_found`, 409 `not_ready` and `not_possible`.
   */
  async begin(
    externalId: string,
    asked: Omit<NewErasure, 'external_id'> = {},
    options: WriteOptions = {},
  ): Promise<ErasureReceipt> {
    const body = { ...objectIn(asked, '{ suppress: true }'), external_id: externalId }
    const request = { ...keyed(options, 'POST', '/erasures'), body }
    const data = await this.transport.send<'eraseEntity'>(request, options)
    if ('erasure' in data) return data
    throw unreadable()
  }

  /** Returns the data that an erasure would remove. Stores nothing. */
  async dryRun(externalId: string, options: WriteOptions = {}): Promise<ErasureDryRun> {
    const path = withQuery('/erasures', { dry_run: 'true' })
    const request = { ...keyed(options, 'POST', path), body: { external_id: externalId } }
    const data = await this.transport.send<'eraseEntity'>(request, options)
    if ('segments' in data) return data
    throw unreadable()
  }

  /** Returns the current receipt. Error: 404 `erasure_not_found`. */
  get(erasure: string, options: CallOptions = {}): Promise<ErasureReceipt> {
    return this.transport.send<'getErasure'>(reading(pathOf(erasure)), options)
  }

  /**
   * Lists all receipts, in the order of the requests. With `external_id`, lists only the receipt of
   * the erasure that blocks reuse of this id, if there is one.
   */
  list(query: ErasureListQuery = {}, options: CallOptions = {}): Pages<ErasureReceipt> {
    return new Pages((cursor) => {
      const path = withQuery('/erasures', { ...query, cursor })
      return this.transport.send<'listErasures'>(reading(path), options)
    }, query.cursor)
  }

  /**
   * Confirms that a recipient has processed all facts up to a position after the erasure. Needs the
   * scope `read`. With the scope `erase`, it also confirms that the disk of a node is gone for good:
   * `recipient` is then the name of the node in the `places` of the receipt.
   */
  confirm(
    erasure: string,
    confirmation: ErasureConfirmation,
    options: CallOptions = {},
  ): Promise<ErasureReceipt> {
    const path = `${pathOf(erasure)}/confirmations`
    const request = { kind: 'keyed', method: 'POST', path, body: confirmation } as const
    return this.transport.send<'confirmErasure'>(request, options)
  }

  /**
   * Permits reuse of the external_id. Errors: 409 `not_possible` when reuse is never possible, 409
   * `not_ready` before the erasure takes effect.
   */
  liftSuppression(erasure: string, options: CallOptions = {}): Promise<ErasureReceipt> {
    const path = `${pathOf(erasure)}/suppression`
    const request = { kind: 'keyed', method: 'DELETE', path } as const
    return this.transport.send<'liftSuppression'>(request, options)
  }
}

function pathOf(erasure: string): string {
  return `/erasures/${step(erasure)}`
}

function reading(path: string): Request<undefined> {
  return { kind: 'unpositioned', method: 'GET', path }
}

function unreadable(): DossierError {
  const message = 'The reply belongs to another kind of request.'
  return new DossierError({ code: 'unreadable_reply', message, stored: 'unknown' })
}
