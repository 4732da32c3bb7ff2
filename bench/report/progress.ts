import { SingleBar } from 'cli-progress'

/** Shows the progress of a run. */
export interface Progress {
  /** Begins a row or a part of one, with this many steps. */
  readonly begin: (what: string, steps: number) => void
  readonly done: (steps: number) => void
  readonly end: () => void
  readonly say: (line: string) => void
}

/** Shows a bar on a terminal, and otherwise prints a line when a part begins. */
export function showProgress(stream: NodeJS.WriteStream): Progress {
  const say = (line: string) => {
    stream.write(`${line}\n`)
  }
  if (!stream.isTTY) return { begin: say, done: () => undefined, end: () => undefined, say }
  let bar: SingleBar | undefined
  const end = () => {
    bar?.stop()
    bar = undefined
  }
  return {
    begin: (what, steps) => {
      end()
      const format = `${what.padEnd(30)} {bar} {percentage} % | {eta_formatted}`
      bar = new SingleBar({ stream, format, clearOnComplete: true })
      bar.start(steps, 0)
    },
    done: (steps) => {
      bar?.increment(steps)
    },
    end,
    say: (line) => {
      end()
      say(line)
    },
  }
}
