/** The bundle of what is at the checkpoint. */
export const liveBundle = 0

/** The bundle of what is built. */
export const buildBundle = 1
