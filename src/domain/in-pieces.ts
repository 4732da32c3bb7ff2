/** Long work in slices. At each yield the caller may run something else before it continues. */
export type InPieces<T> = Generator<undefined, T, undefined>

/** Runs all slices without a pause. Use it for work that is known to be short. */
export function atOnce<T>(work: InPieces<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
