/**
 * Does `work` for each item, at most `most` at a time. After a failure nothing new is begun; what is
 * under way is waited for, and the first failure is thrown.
 */
export async function forEachConcurrently<T>(
  items: AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]()
  const failures: unknown[] = []
  const worker = async (): Promise<void> => {
    while (failures.length === 0) {
      const next = await iterator.next()
      if (next.done === true) return
      await work(next.value)
    }
  }
  const guarded = () => worker().catch((error: unknown) => failures.push(error))
  await Promise.all(Array.from({ length: most }, guarded))
  if (failures.length === 0) return
  await iterator.return?.()
  throw failures[0]
}
