/** Facts applied together at most. What they cost is measured when they are applied. */
export const maxFactsTogether = 500
/** What a fact costs, in milliseconds, while none was measured. */
export const factMs = 0.05

/** While the read model is built, so many facts are written together: in the order of the tables, which saves pages. */
export const maxBuffered = 500_000

/**
 * A commit takes so many facts, or those of so many milliseconds: of facts that lie anywhere, the more
 * come together, the more are on one page.
 */
export const maxUncommitted = 20_000
export const commitMs = 500

/** From so many entities on, their logs are written before the commit: it would take longer than a slice. */
export const maxPendingEntities = 500
