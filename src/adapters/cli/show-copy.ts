import { SingleBar } from 'cli-progress'
import type { CopyProgress, CopyStep } from '../../application/migration/ports/copy-progress.js'

type Screen = Pick<NodeJS.WritableStream, 'write'>

/** A bar on a terminal, elsewhere a line of text for each tenth. */
export function showCopy(stream: NodeJS.WriteStream): CopyProgress {
  return stream.isTTY ? copyBar(stream) : copyLines(stream)
}

function copyBar(stream: NodeJS.WriteStream): CopyProgress {
  const bar = new SingleBar({
    stream,
    format: '{step} {bar} {percentage} % | {value} of {total} facts | {duration_formatted}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
  })
  return {
    begin: (step, facts) => {
      bar.stop()
      bar.start(facts, 0, { step: step.padEnd('looking'.length) })
    },
    done: (facts) => {
      bar.increment(facts)
    },
    end: () => {
      bar.stop()
    },
  }
}

export function copyLines(screen: Screen): CopyProgress {
  let step: CopyStep = 'looking'
  let total = 0
  let done = 0
  let tenths = 0
  return {
    begin: (next, facts) => {
      step = next
      total = facts
      done = 0
      tenths = 0
    },
    done: (facts) => {
      done += facts
      const now = Math.floor((done * 10) / Math.max(total, 1))
      if (now <= tenths) return
      tenths = now
      screen.write(`${step}: ${String(done)} of ${String(total)} facts\n`)
    },
    end: () => undefined,
  }
}
