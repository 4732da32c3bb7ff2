type Method = (this: unknown, ...args: unknown[]) => unknown

interface Counted {
  readonly owner: object
  readonly name: string
  /** Returns the number of elements that a call visits. */
  readonly visits: (called: unknown, result: unknown) => number
}

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0)

const iterators = [new Map(), new Set(), []].map((list): Counted => ({
  owner: Object.getPrototypeOf(list.values()) as object,
  name: 'next',
  visits: () => 1,
}))

const visiting = ['every', 'filter', 'find', 'flatMap', 'forEach', 'map', 'some', 'toSorted']

const counted: readonly Counted[] = [
  ...iterators,
  ...visiting.map((name) => ({ owner: Array.prototype, name, visits: lengthOf })),
  {
    owner: Array.prototype,
    name: 'slice',
    visits: (_called: unknown, result: unknown) => lengthOf(result),
  },
]

/**
 * Counts the visited elements of maps, sets and arrays while `run` runs. Unlike the duration of a scan, this number
 * does not depend on the machine.
 */
export async function countSteps(run: () => Promise<unknown>): Promise<number> {
  let steps = 0
  const originals = counted.map(({ owner, name }) => Reflect.get(owner, name) as Method)
  counted.forEach(({ owner, name, visits }, at) => {
    const original = originals[at]
    if (original === undefined) throw new TypeError(`there is no ${name}`)
    const counting: Method = function (...args) {
      const result = original.apply(this, args)
      steps += visits(this, result)
      return result
    }
    Reflect.set(owner, name, counting)
  })
  try {
    await run()
  } finally {
    for (let at = 0; at < counted.length; at += 1) {
      const { owner = {}, name = '' } = counted[at] ?? {}
      Reflect.set(owner, name, originals[at])
    }
  }
  return steps
}
