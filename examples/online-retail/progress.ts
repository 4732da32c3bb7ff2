import { SingleBar } from 'cli-progress'

/** Shows the progress through the file. */
export interface Progress {
  /** Reports that a line is finished. Lines can finish out of order. */
  done(line: number): void
  stop(): void
}

/** Shows a bar on a terminal, and otherwise prints a line for each tenth. */
export function showProgress(stream: NodeJS.WriteStream, lines: number): Progress {
  return stream.isTTY ? progressBar(stream, lines) : progressLines(stream, lines)
}

function progressBar(stream: NodeJS.WriteStream, lines: number): Progress {
  const bar = new SingleBar({
    stream,
    format: '{bar} {percentage} % | {value} of {total} lines | {duration_formatted}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
  })
  bar.start(lines, 0)
  const furthest = furthestLine()
  return {
    done: (line) => {
      bar.update(furthest(line))
    },
    stop: () => {
      bar.stop()
    },
  }
}

/** Prints progress as text. `lines` is the total. */
export function progressLines(
  stream: Pick<NodeJS.WritableStream, 'write'>,
  lines: number,
): Progress {
  const furthest = furthestLine()
  let tenths = 0
  return {
    done: (line) => {
      const now = furthest(line)
      if (Math.floor((now * 10) / lines) <= tenths) return
      tenths = Math.floor((now * 10) / lines)
      stream.write(`${String(now)} of ${String(lines)} lines\n`)
    },
    stop: () => undefined,
  }
}

/** Returns a function that tracks the furthest finished line, without the header, which is line 1. */
function furthestLine(): (line: number) => number {
  let furthest = 0
  return (line) => (furthest = Math.max(furthest, line - 1))
}
