import { expect } from '@jest/globals'
import { LentProfiles } from '../../../src/adapters/sqlite/read-model/thread/lent-profiles.js'
import type { QueryName, QueryOf } from '../../../src/application/reading/ports/read-model.js'

/**
 * Keeps profiles as the main thread does, and checks with each answer about a profile that the kept one would have been
 * the same.
 */
export class CheckedLoans {
  readonly lent = new LentProfiles()
  /** The number of answers that were compared with a kept one. */
  compared = 0
  private readonly kept = new Map<string, unknown>()

  check<Name extends QueryName>(name: Name, query: QueryOf<Name>, value: unknown): void {
    if (name !== 'profile' || !('externalId' in query)) return
    const { externalId } = query
    const ended = this.lent.takeEnded()
    if (ended === 'all') this.kept.clear()
    else for (const one of ended ?? []) this.kept.delete(one)
    if (this.kept.has(externalId)) {
      this.compared += 1
      expect(value).toEqual(this.kept.get(externalId))
    }
    if (this.lent.mayKeep(value)) this.kept.set(externalId, value)
  }
}
