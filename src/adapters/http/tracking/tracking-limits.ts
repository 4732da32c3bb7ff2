/** Bytes of a body when it is inflated. */
export const maxBodyBytes = 4_194_304
/** The same where the key is in the body, so that it is read before the key is checked. */
export const maxKeylessBytes = 524_288
export const maxItems = 2_500

/** How long a body may take, in milliseconds: SDKs give up after 8–10 s. */
export const bodyMs = 10_000
/** How long a request may wait for room: SDKs that give up soon do so after 0.9–1.7 s. In milliseconds. */
export const roomMs = 2_000
/** When a request is answered at the latest, and until when its items may begin: from its head on, in ms. */
export const answerMs = 6_500
export const beginMs = 5_500
/** A body that took long leaves so much of that at least. */
export const leastMs = 1_000
/** Between two looks whether there is room, in milliseconds. */
export const lookMs = 100
/** The longest Retry-After, in seconds: SDKs drop their messages rather than wait longer. */
export const maxRetryAfter = 5
