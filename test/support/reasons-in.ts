/** Why those failed that did. */
export function reasonsIn(results: readonly PromiseSettledResult<unknown>[]): readonly unknown[] {
  return results
    .filter((result) => result.status === 'rejected')
    .map(({ reason }) => reason as unknown)
}
