/** The key of a bench's own service, which listens on this machine alone and ends with the bench. */
export const benchKey = 'bench-key-of-no-other-use'
