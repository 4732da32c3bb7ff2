/** The size of the first batch, and the largest size. Most searches need the first batch only. */
const [firstSize, largestSize] = [2, 64]

/**
 * The number of unwanted items after which a batch ends early. It may then be empty. A caller that works in pieces
 * can pause there.
 */
const mostUnwanted = 1_024

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
  let unwanted = 0
  for (const item of items) {
    if (isWanted(item)) batch.push(item)
    else unwanted += 1
    if (batch.length < size && unwanted < mostUnwanted) continue
    yield batch
    batch = []
    unwanted = 0
    size = Math.min(2 * size, largestSize)
  }
  if (batch.length > 0) yield batch
}
