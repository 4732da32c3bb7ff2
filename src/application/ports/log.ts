/** Writes to the application log, for operators. Never pass an API key, a secret or a customer's properties. */
export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Returns the message of an error, for the application log. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns the message and the stack of an error. Use it for errors that are bugs. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
