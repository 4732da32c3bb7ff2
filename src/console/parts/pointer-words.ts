/** `/address/city` as `address.city`. A name with a dot or a slash stays a pointer. */
export function pointerWords(pointer: string): string {
  return /[.~]|^\/$|\/\/|\/$/.test(pointer) ? pointer : pointer.slice(1).replaceAll('/', '.')
}
