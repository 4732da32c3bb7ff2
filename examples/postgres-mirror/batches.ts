export interface BatchRules<Item> {
  readonly maxItems: number
  /** The time that a batch waits for further items, in milliseconds. */
  readonly lingerMs: number
  /** Returns whether the item must be the last one of its batch. */
  readonly endsWith: (item: Item) => boolean
}

/** Groups items into batches. A batch ends at the limit, or when no further item is ready. */
export async function* batches<Item>(
  source: AsyncIterable<Item>,
  { maxItems, lingerMs, endsWith }: BatchRules<Item>,
): AsyncGenerator<readonly Item[], void, undefined> {
  const items = source[Symbol.asyncIterator]()
  let coming = items.next()
  for (let step = await coming; step.done !== true; step = await coming) {
    const batch = [step.value]
    coming = items.next()
    while (batch.length < maxItems && !endsWith(step.value)) {
      const next = await within(lingerMs, coming)
      if (next === undefined || next.done === true) break
      step = next
      batch.push(step.value)
      coming = items.next()
    }
    yield batch
  }
}

/** Resolves with undefined when `coming` takes longer. */
async function within<T>(milliseconds: number, coming: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined)
    }, milliseconds)
  })
  try {
    return await Promise.race([coming, over])
  } finally {
    clearTimeout(timer)
  }
}
