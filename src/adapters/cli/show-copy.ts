import { SingleBar } from 'cli-progress'
import type { CopyProgress, CopyStep } from '../../application/migration/ports/copy-progress.js'

type Screen = Pick<NodeJS.WritableStream, 'write'>

/** A bar on a terminal, elsewhere a line of text for each tenth. */
export function showCopy(stream: NodeJS.WriteStream): CopyProgress {
  return stream.isTTY ? copyBar(stream) : copyLines(stream)
}

/** Steps of the bar. */
const steps = 1_000

function copyBar(stream: NodeJS.WriteStream): CopyProgress {
  let facts = 0
  const bar = new SingleBar({
    stream,
    format: '{step} {bar} {percentage} % | {facts} facts | {duration_formatted}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
  })
  return {
    begin: (step) => {
      bar.stop()
      facts = 0
      bar.start(steps, 0, { step: step.padEnd('comparing'.length), facts })
    },
    done: (more, share) => {
      facts += more
      bar.update(Math.floor(share * steps), { facts })
    },
    end: () => {
      bar.stop()
    },
  }
}

export function copyLines(screen: Screen): CopyProgress {
  let step: CopyStep = 'looking'
  let facts = 0
  let tenths = 0
  return {
    begin: (next) => {
      step = next
      facts = 0
      tenths = 0
    },
    done: (more, share) => {
      facts += more
      const now = Math.floor(share * 10)
      if (now <= tenths) return
      tenths = now
      screen.write(`${step}: ${String(Math.floor(share * 100))} %, ${String(facts)} facts\n`)
    },
    end: () => undefined,
  }
}
