/** Work that takes long: where it yields, whoever does it may do something else first. */
export type InPieces<T> = Generator<undefined, T, undefined>

/** Does all of it now: for work that is short. */
export function atOnce<T>(work: InPieces<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
