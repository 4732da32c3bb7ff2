import { defer } from './deferred.js'

/** A point at which the double waits for its release. */
export interface Gate {
  /** Resolves when the first call waits at the gate. */
  readonly reached: Promise<unknown>
  /** Releases all waiting and all later calls. */
  release(): void
}

/** The double's side of a gate. */
export interface Barrier extends Gate {
  /** Resolves when the gate is released. */
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
