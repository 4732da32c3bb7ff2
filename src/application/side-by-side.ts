/**
 * Does `work` for each item, at most `most` at a time. After a failure nothing new is begun; what is
 * under way is waited for, and the first failure is thrown.
 */
export async function sideBySide<T>(
  items: AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]()
  let failed = false
  const lane = async (): Promise<void> => {
    while (!failed) {
      const next = await iterator.next()
      if (next.done === true) return
      await work(next.value)
    }
  }
  const guarded = () =>
    lane().catch((error: unknown) => {
      failed = true
      throw error
    })
  const results = await Promise.allSettled(Array.from({ length: most }, guarded))
  if (failed) await iterator.return?.()
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
