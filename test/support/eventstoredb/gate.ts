import { defer } from './deferred.js'

/** A place where the double waits until it is told to go on. */
export interface Gate {
  /** Resolves when the first call waits here. */
  readonly reached: Promise<unknown>
  /** Lets go all that wait, and all that come later. */
  release(): void
}

/** The side of a gate that the double holds. */
export interface Barrier extends Gate {
  /** Resolves once the gate is released. */
  pass(): Promise<unknown>
}

export function createBarrier(): Barrier {
  const reached = defer<undefined>()
  const released = defer<undefined>()
  return {
    reached: reached.promise,
    release: () => {
      released.resolve(undefined)
    },
    pass: () => {
      reached.resolve(undefined)
      return released.promise
    },
  }
}
