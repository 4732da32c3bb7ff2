/** The key of `http-service.ts` that may write. Suites of started programs import it without the sources of the service. */
export const writeKey = 'a-key-that-may-write-0123456789'
