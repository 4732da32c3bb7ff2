/** The external ids of the profiles that have changed, or `all`. */
export type ChangedProfiles = readonly string[] | 'all'

interface Loan {
  readonly externalId: string
  isCurrent: boolean
}

const defaultMaxLoans = 16_384
/**
 * The number of entities after which the thread forgets which entities were read. Only an entity that is read again
 * before that is lent. Keeping the profiles of entities that are read once would cost more than it saves.
 */
const maxReadOnce = 4_096
/** The most answers that are lent but not sent. When there are more, the main thread keeps none of them. */
const maxUnsent = 1_024

/**
 * Tracks the profiles that the reader thread lends to the main thread, which keeps them (`KeptAnswers`). A loan begins
 * when a query reads the profile, and ends when the profile changes. Each message of the reader thread names the ended
 * loans. The main thread therefore learns of a change before it learns of a later position.
 */
export class LentProfiles {
  private readonly loans = new Map<number, Loan>()
  private readonly readOnce = new Set<number>()
  private readonly unsent = new Map<unknown, Loan>()
  private ended: string[] = []
  private haveAllEnded = false

  /** `maxLoans` is the most profiles that are lent at once. When there are more, all loans end. 0: none is lent. */
  constructor(private readonly maxLoans = defaultMaxLoans) {}

  /** Begins a loan if the entity was read before. `answer` is the answer of the query. */
  lend(entity: number, externalId: string, answer: object): void {
    if (this.maxLoans === 0) return
    if (!this.readOnce.has(entity)) {
      if (this.readOnce.size >= maxReadOnce) this.readOnce.clear()
      this.readOnce.add(entity)
      return
    }
    if (this.loans.size >= this.maxLoans) this.endAll()
    const loan = this.loans.get(entity) ?? { externalId, isCurrent: true }
    this.loans.set(entity, loan)
    if (this.unsent.size >= maxUnsent) this.unsent.clear()
    this.unsent.set(answer, loan)
  }

  /** Returns whether the main thread may keep the answer. Call it once, when the answer is sent. */
  mayKeep(answer: unknown): boolean {
    const loan = this.unsent.get(answer)
    if (loan === undefined) return false
    this.unsent.delete(answer)
    return loan.isCurrent
  }

  /** Ends the loan of an entity. Call it when the profile or a membership of the entity changes. */
  end(entity: number): void {
    const loan = this.loans.get(entity)
    if (loan === undefined) return
    loan.isCurrent = false
    this.loans.delete(entity)
    this.ended.push(loan.externalId)
  }

  /** Ends all loans. Call it when a change may concern every profile. */
  endAll(): void {
    for (const loan of this.loans.values()) loan.isCurrent = false
    this.loans.clear()
    this.haveAllEnded = true
  }

  /** Returns the loans that have ended since the last call. Undefined when there are none. */
  takeEnded(): ChangedProfiles | undefined {
    const { ended, haveAllEnded } = this
    if (ended.length === 0 && !haveAllEnded) return undefined
    this.ended = []
    this.haveAllEnded = false
    return haveAllEnded ? 'all' : ended
  }
}
