import type { PageQuery } from './entity-types.js'
import type {
  ErasureConfirmation,
  ErasureDryRun,
  ErasureReceipt,
  NewErasure,
} from './erasure-types.js'
import { DossierError } from './errors.js'
import { Pages } from './pages.js'
import {
  keyed,
  step,
  withQuery,
  type CallOptions,
  type Request,
  type WriteOptions,
} from './requests.js'
import type { Transport } from './transport.js'

/** Erasing persons. Every method throws `DossierError`. */
export class Erasures {
  constructor(private readonly transport: Transport) {}

  /**
   * Erases a person: when it resolves no request finds anything of hers. The receipt says what is removed
   * already, and what remains. 404 `entity_not_found`; 409 `not_ready`.
   */
  async begin(
    externalId: string,
    asked: Omit<NewErasure, 'external_id'> = {},
    options: WriteOptions = {},
  ): Promise<ErasureReceipt> {
    const body = { ...asked, external_id: externalId }
    const request = { ...keyed(options, 'POST', '/erasures'), body }
    const data = await this.transport.send<'eraseEntity'>(request, options)
    if ('erasure' in data) return data
    throw unreadable()
  }

  /** What an erasure would remove. Nothing is stored. */
  async dryRun(externalId: string, options: WriteOptions = {}): Promise<ErasureDryRun> {
    const path = withQuery('/erasures', { dry_run: 'true' })
    const request = { ...keyed(options, 'POST', path), body: { external_id: externalId } }
    const data = await this.transport.send<'eraseEntity'>(request, options)
    if ('segments' in data) return data
    throw unreadable()
  }

  /** The receipt, as far as it has come. 404 `erasure_not_found`. */
  get(erasure: string, options: CallOptions = {}): Promise<ErasureReceipt> {
    return this.transport.send<'getErasure'>(reading(pathOf(erasure)), options)
  }

  /** All receipts, in the order in which they were asked for. */
  list(query: PageQuery = {}, options: CallOptions = {}): Pages<ErasureReceipt> {
    return new Pages((cursor) => {
      const path = withQuery('/erasures', { ...query, cursor })
      return this.transport.send<'listErasures'>(reading(path), options)
    }, query.cursor)
  }

  /**
   * As a recipient: the facts up to a position behind the erasure are processed. Needs the scope `read`; with
   * `erase`, a node of its places can be the recipient, whose disk is gone for good.
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

  /** The external_id may be used again. 409 `not_possible` where it never can, `not_ready` before `effective`. */
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
  const message = 'The reply is of another request than was sent.'
  return new DossierError({ code: 'unreadable_reply', message, stored: 'unknown' })
}
