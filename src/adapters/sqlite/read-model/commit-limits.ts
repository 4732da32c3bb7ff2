/** The most facts to apply together. The time per fact is measured while they are applied. */
export const maxFactsTogether = 500
/** The assumed time per fact, in milliseconds, before any was measured. */
export const factMs = 0.05

/** The number of facts to buffer during a rebuild. They are written in table order, which touches fewer pages. */
export const maxBuffered = 500_000

/** A commit comes after this many facts or this time. Larger commits write each page less often. */
export const maxUncommitted = 20_000
export const commitMs = 500

/** With more pending entities than this, their logs are written before the commit, so that it fits a slice. */
export const maxPendingEntities = 500

/** The delay before the next attempt to empty the WAL while a reader blocks it. */
export const emptyLogMs = 1_000
