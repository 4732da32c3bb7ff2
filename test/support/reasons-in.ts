/** Returns the reasons of the rejected results. */
export function reasonsIn(results: readonly PromiseSettledResult<unknown>[]): readonly unknown[] {
  return results
    .filter((result) => result.status === 'rejected')
    .map(({ reason }) => reason as unknown)
}
