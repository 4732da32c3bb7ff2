/** The most facts that are applied in one step. The duration of each step gives the time per fact. */
export const maxFactsTogether = 500
/** The assumed time to apply one fact, in milliseconds, until it has been measured. */
export const factMs = 0.05

/**
 * The number of facts that a rebuild buffers before it writes them. The buffer is written in table order, so
 * that each page is written less often.
 */
export const maxBuffered = 500_000

/** A commit follows after this many facts or this many milliseconds. Larger commits write each page less often. */
export const maxUncommitted = 20_000
export const commitMs = 500

/**
 * The most entities whose log entries wait for the commit. With more entities, the entries are written before
 * the commit, so that the commit is short.
 */
export const maxPendingEntities = 500

/** The delay before the next attempt to empty the WAL after a reader blocked it, in milliseconds. */
export const emptyLogMs = 1_000
