/** Long work that runs in pieces. At each yield, the caller may run other work before it continues. */
export type InPieces<T> = Generator<undefined, T, undefined>

/** Runs all pieces without a pause, and returns the result. Use it for work that is known to be short. */
export function atOnce<T>(work: InPieces<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
