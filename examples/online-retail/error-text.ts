/**
 * Returns the message of an error. Checks the members, because `instanceof` fails for errors of another realm.
 */
export function errorText(error: unknown): string {
  if (!isObject(error) || !('message' in error)) return String(error)
  // When all addresses of a host name fail, Node throws an aggregate error without a message of its own.
  if (error.message === '' && 'code' in error) return String(error.code)
  return String(error.message)
}

/** Returns the code that Node and its packages give their errors. */
export function errorCode(error: unknown): string | undefined {
  return isObject(error) && 'code' in error ? String(error.code) : undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
