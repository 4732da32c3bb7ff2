export interface Line {
  readonly change: ' ' | '+' | '-'
  readonly text: string
}

/** Returns the differences between two texts, line by line, with as few changes as possible. */
export function lineDifference(before: string, after: string): readonly Line[] {
  const [old, young] = [before.split('\n'), after.split('\n')]
  const common = longestCommon(old, young)
  const lines: Line[] = []
  let [at, to] = [0, 0]
  while (at < old.length || to < young.length) {
    const [one, other] = [old[at], young[to]]
    if (one !== undefined && one === other) {
      lines.push({ change: ' ', text: one })
      at += 1
      to += 1
    } else if (
      other === undefined ||
      (one !== undefined && lengthAt(common, at + 1, to) >= lengthAt(common, at, to + 1))
    ) {
      lines.push({ change: '-', text: one ?? '' })
      at += 1
    } else {
      lines.push({ change: '+', text: other })
      to += 1
    }
  }
  return lines
}

/**
 * Returns a table of lengths. The entry at `[at][to]` is the length of the longest common subsequence of the old lines
 * from `at` on and the new lines from `to` on.
 */
function longestCommon(
  old: readonly string[],
  young: readonly string[],
): readonly (readonly number[])[] {
  const lengths = Array.from({ length: old.length + 1 }, () =>
    new Array<number>(young.length + 1).fill(0),
  )
  for (let at = old.length - 1; at >= 0; at -= 1) {
    const row = lengths[at] ?? []
    for (let to = young.length - 1; to >= 0; to -= 1) {
      row[to] =
        old[at] === young[to]
          ? lengthAt(lengths, at + 1, to + 1) + 1
          : Math.max(lengthAt(lengths, at + 1, to), lengthAt(lengths, at, to + 1))
    }
  }
  return lengths
}

function lengthAt(lengths: readonly (readonly number[])[], at: number, to: number): number {
  return lengths[at]?.[to] ?? 0
}
