import { SingleBar } from 'cli-progress'

export type ImportStep = 'reading' | 'importing'

/** Shows how far an import is. */
export interface ImportProgress {
  begin(step: ImportStep): void
  /** Adds lines that are done. `share`: how much of the source is read, 0 to 1; undefined where its size is not known. */
  done(lines: number, share: number | undefined): void
  /** Something is sent again later. */
  waits(reason: string): void
  end(): void
}

/** A bar on a terminal, elsewhere a line of text for each tenth. */
export function showImport(stream: NodeJS.WriteStream): ImportProgress {
  return stream.isTTY ? importBar(stream) : importLines(stream, () => performance.now())
}

/** Steps of the bar. */
const steps = 1_000

function importBar(stream: NodeJS.WriteStream): ImportProgress {
  const bar = new SingleBar({
    stream,
    format: '{step} {bar} {percentage} % | {pace}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
  })
  let pace = new Pace(performance.now())
  return {
    begin: (step) => {
      bar.stop()
      pace = new Pace(performance.now())
      bar.start(steps, 0, { step: step.padEnd('importing'.length), pace: '' })
    },
    done: (lines, share) => {
      pace.add(lines)
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

/** Between two lines of text where nobody knows how much there is. */
const lineEveryMs = 10_000

/** `now`: milliseconds that only grow. */
export function importLines(
  screen: Pick<NodeJS.WritableStream, 'write'>,
  now: () => number,
): ImportProgress {
  let step: ImportStep = 'reading'
  let pace = new Pace(now())
  let tenths = 0
  let waitingFor = ''
  let shownAt = now()
  return {
    begin: (next) => {
      step = next
      pace = new Pace(now())
      tenths = 0
    },
    done: (lines, share) => {
      pace.add(lines)
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

/** How many lines are done, how fast, and how long the rest takes if it goes on so. */
class Pace {
  private lines = 0

  constructor(private readonly beganAt: number) {}

  add(lines: number): void {
    this.lines += lines
  }

  parts(now: number, share: number | undefined): readonly string[] {
    const seconds = Math.max(0.001, (now - this.beganAt) / 1_000)
    // A digest has no lines to count.
    const rate = `${String(this.lines)} lines, ${String(Math.round(this.lines / seconds))} a second`
    const parts = this.lines === 0 ? [] : [rate]
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
