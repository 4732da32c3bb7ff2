import { NewerSchemaVersion, UnreadableFact } from '../facts/unreadable-fact.js'
import { isRefused, Refusal } from '../ports/refusal.js'

/** What a log gives up with: the store does not answer, or a fact in it cannot be read. */
export function isOfLog(error: unknown): boolean {
  return isRefused(error, 'store_unavailable') || isUnreadable(error)
}

/** Neither another attempt nor another read model can read it. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof UnreadableFact || error instanceof NewerSchemaVersion
}

/** The store has nothing at the checkpoint: it may show its end a little late. */
export class NotThere extends Refusal {
  constructor(message: string) {
    super('store_unavailable', message)
  }
}
