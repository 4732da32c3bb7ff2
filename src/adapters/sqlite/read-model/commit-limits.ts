/** Facts applied together at most. What they cost is measured when they are applied. */
export const maxFactsTogether = 500
/** What a fact costs, in milliseconds, while none was measured. */
export const factMs = 0.05

/** Facts written together while the read model is built: in the order of the tables, which saves pages. */
export const maxBuffered = 500_000

/** Facts of a commit, or their time: the more come together, the more are on one page. */
export const maxUncommitted = 20_000
export const commitMs = 500

/** Entities from which on their logs are written before the commit, which would outlast a slice. */
export const maxPendingEntities = 500

/** When the log of a file is tried to be emptied again, where a reader keeps it. */
export const emptyLogMs = 1_000
