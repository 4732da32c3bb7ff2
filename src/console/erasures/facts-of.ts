/** Returns the total number of facts of all types. */
export function factsOf(facts: Readonly<Record<string, number>>): number {
  return Object.values(facts).reduce((sum, count) => sum + count, 0)
}
