/** The size of the first batch, and the largest size. Most searches need the first batch only. */
const [firstSize, largestSize] = [2, 64]

/**
 * Yields the items that pass the test, in batches. Each batch is twice as large as the previous batch, up to a
 * limit.
 */
export function* batchesOf<T>(
  items: Iterable<T>,
  isWanted: (item: T) => boolean,
): Generator<readonly T[], void> {
  let batch: T[] = []
  let size = firstSize
  for (const item of items) {
    if (!isWanted(item)) continue
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
    size = Math.min(2 * size, largestSize)
  }
  if (batch.length > 0) yield batch
}
