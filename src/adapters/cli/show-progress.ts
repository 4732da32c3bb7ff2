import { SingleBar } from 'cli-progress'

/** Shows the progress of a program. */
export interface ShownProgress {
  begin(step: string): void
  /**
   * Adds `count` finished items. `share` is the finished share of the current step, from 0 to 1. `share` is undefined
   * when the total is unknown.
   */
  done(count: number, share: number | undefined): void
  /** Shows that the program waits before a retry. `reason` says why. */
  waits(reason: string): void
  end(): void
}

/**
 * Shows progress as a bar on a terminal, and otherwise as a line after each tenth of the work. `what` is the plural of
 * the items, such as `lines`.
 */
export function showProgress(stream: NodeJS.WriteStream, what: string): ShownProgress {
  if (stream.isTTY) return progressBar(stream, what)
  return progressLines(stream, what, () => performance.now())
}

/** The resolution of the bar: the number of units that a full bar has. */
const steps = 1_000
const stepLength = 'importing'.length

function progressBar(stream: NodeJS.WriteStream, what: string): ShownProgress {
  const bar = new SingleBar({
    stream,
    format: '{step} {bar} {percentage} % | {pace}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
  })
  let pace = new Pace(what, performance.now())
  return {
    begin: (step) => {
      bar.stop()
      pace = new Pace(what, performance.now())
      bar.start(steps, 0, { step: step.padEnd(stepLength), pace: '' })
    },
    done: (count, share) => {
      pace.add(count)
      bar.update(Math.floor((share ?? 0) * steps), {
        pace: pace.parts(performance.now(), share).join(', '),
      })
    },
    waits: (reason) => {
      stream.write(`\r\u001B[Kwaiting: ${reason}\n`)
    },
    end: () => {
      bar.stop()
    },
  }
}

/** The time between two lines when the total is unknown, in milliseconds. */
const lineEveryMs = 10_000

/** Prints progress as lines. `now` is a monotonic clock in milliseconds. */
export function progressLines(
  screen: Pick<NodeJS.WritableStream, 'write'>,
  what: string,
  now: () => number,
): ShownProgress {
  let step = ''
  let pace = new Pace(what, now())
  let tenths = 0
  let waitingFor = ''
  let shownAt = now()
  return {
    begin: (next) => {
      step = next
      pace = new Pace(what, now())
      tenths = 0
    },
    done: (count, share) => {
      pace.add(count)
      const reached = Math.floor((share ?? 0) * 10)
      const isDue = share === undefined ? now() - shownAt >= lineEveryMs : reached > tenths
      if (!isDue) return
      tenths = reached
      shownAt = now()
      const percent = share === undefined ? [] : [`${String(Math.floor(share * 100))} %`]
      screen.write(`${step}: ${[...percent, ...pace.parts(now(), share)].join(', ')}\n`)
    },
    waits: (reason) => {
      if (reason !== waitingFor) screen.write(`waiting: ${reason}\n`)
      waitingFor = reason
    },
    end: () => undefined,
  }
}

/** Computes the number of finished items, the items per second, and the estimated time left. */
class Pace {
  private count = 0

  constructor(
    private readonly what: string,
    private readonly beganAt: number,
  ) {}

  add(count: number): void {
    this.count += count
  }

  parts(now: number, share: number | undefined): readonly string[] {
    const seconds = Math.max(0.001, (now - this.beganAt) / 1_000)
    const { count, what } = this
    const rate = `${String(count)} ${what}, ${String(Math.round(count / seconds))} a second`
    // Omits the rate for a step without items, such as computing a digest.
    const parts = count === 0 ? [] : [rate]
    if (share !== undefined && share > 0 && share < 1) {
      parts.push(`${duration((seconds * (1 - share)) / share)} left`)
    }
    return parts
  }
}

function duration(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${String(whole)} s`
  if (whole < 3_600) return `${String(Math.floor(whole / 60))} min ${String(whole % 60)} s`
  return `${String(Math.floor(whole / 3_600))} h ${String(Math.floor((whole % 3_600) / 60))} min`
}
