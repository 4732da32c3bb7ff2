/** Compares two of the same kind by their keys, which differ. */
export function byKey(left: { readonly key: string }, right: { readonly key: string }): number {
  return left.key < right.key ? -1 : 1
}
