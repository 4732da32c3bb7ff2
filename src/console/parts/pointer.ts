/** Returns the steps of a JSON Pointer: `/address/city` has the steps `address` and `city`. */
export function stepsOf(pointer: string): readonly string[] {
  return pointer.split('/').slice(1).map(decodedStep)
}

/** Returns a step of a JSON Pointer as the name that it stands for. */
export function decodedStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Returns the words for a JSON Pointer: `address.city` for `/address/city`. */
export function pointerName(pointer: string): string {
  return stepsOf(pointer).join('.')
}
