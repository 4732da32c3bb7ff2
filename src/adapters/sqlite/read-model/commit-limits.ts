/** The most facts that are applied together. Their duration is measured to estimate the time per fact. */
export const maxFactsTogether = 500
/** The assumed time to apply one fact, in milliseconds. Measurements replace the assumption. */
export const factMs = 0.05

/**
 * The most facts that a rebuild buffers before it writes them. The buffer is written in table order, so that
 * each page is written less often.
 */
export const maxBuffered = 500_000

/**
 * The number of facts, and the number of milliseconds, after which a commit follows. Larger commits write each
 * page less often.
 */
export const maxUncommitted = 20_000
export const commitMs = 500

/**
 * The most entities whose log entries stay in memory until the commit. When there are more entities, their log
 * entries are written before the commit, so that the commit is short.
 */
export const maxPendingEntities = 500

/**
 * The delay before the next attempt to empty the WAL after a reader blocked the last attempt, in milliseconds.
 */
export const emptyLogMs = 1_000
