/**
 * Returns the pointer `/address/city` as `address.city`. Returns a pointer unchanged if a name in it contains a dot or
 * a slash.
 */
export function pointerWords(pointer: string): string {
  return /[.~]|^\/$|\/\/|\/$/.test(pointer) ? pointer : pointer.slice(1).replaceAll('/', '.')
}
