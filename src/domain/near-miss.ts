/**
 * Returns the candidate that `word` most likely misspells: a candidate at most two edits away from
 * `word`, or one that starts with `word`. Compares only candidates of a similar length, so a long word costs little.
 */
export function nearMissOf(word: string, candidates: readonly string[]): string | undefined {
  const [nearest] = candidates
    .filter(({ length }) => Math.abs(length - word.length) <= 2)
    .map((candidate) => ({ candidate, edits: editsBetween(word, candidate) }))
    .filter(({ candidate, edits }) => edits <= maxEdits(candidate))
    .sort((a, b) => a.edits - b.edits)
  return nearest?.candidate ?? candidates.find((candidate) => isBeginning(word, candidate))
}

function maxEdits(candidate: string): number {
  return candidate.length < 4 ? 1 : 2
}

function isBeginning(word: string, candidate: string): boolean {
  return word.length > 1 && candidate.startsWith(word)
}

/** Returns ` Did you mean "X"?` for a near miss, and otherwise an empty text. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearMissOf(word, candidates)
  return near === undefined ? '' : ` Did you mean "${near}"?`
}

/**
 * Returns the number of insertions, deletions, substitutions and swaps of neighbouring letters that
 * turn `from` into `to`.
 */
export function editsBetween(from: string, to: string): number {
  /**
   * `edits[row][column]` is the number of edits between the first `row` letters of `from` and the
   * first `column` letters of `to`.
   */
  const edits = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => edits[row]?.[column] ?? 0
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    edits.push(current)
    for (let column = 1; column <= to.length; column += 1) {
      const substituted = Number(from[row - 1] !== to[column - 1])
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current.push(
        Math.min(
          at(row, column - 1) + 1,
          at(row - 1, column) + 1,
          at(row - 1, column - 1) + substituted,
          isSwap ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      )
    }
  }
  return at(from.length, to.length)
}
