import type { Random } from '../../fault-injection/random.js'

export function oneOf<T>(random: Random, all: readonly T[]): T {
  const one = all[random.between(0, all.length - 1)]
  if (one === undefined) throw new Error('there is nothing to choose from')
  return one
}
