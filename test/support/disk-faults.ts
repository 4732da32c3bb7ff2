import { existsSync, readFileSync } from 'node:fs'
import { attachStrace, type Attached } from './attach-strace.js'

/** The system calls that fail, and how they fail. */
export interface FailingCalls {
  /** The names of the calls in strace. */
  readonly calls: readonly string[]
  readonly error: 'EIO' | 'ENOSPC'
  /** Which of the calls fail, counted per thread and call: `3`, `3..9` or `3+`. */
  readonly when: string
}

/** A fault of the disk that affects the files at these absolute paths. */
export interface DiskFault {
  readonly paths: readonly string[]
  readonly failing: readonly FailingCalls[]
}

/** Faults that are injected into a running process. */
export class InjectedFaults {
  /** The number of calls that have failed. */
  count = 0
  /** Resolves when the first call has failed. */
  readonly first: Promise<void>
  private attached: Attached | undefined
  private noticeFirst: () => void = () => undefined

  private constructor() {
    this.first = new Promise((resolve) => {
      this.noticeFirst = resolve
    })
  }

  static async into(pid: number, fault: DiskFault): Promise<InjectedFaults> {
    const faults = new InjectedFaults()
    faults.attached = await attachStrace(pid, argumentsFor(fault), (line) => {
      faults.hear(line)
    })
    return faults
  }

  /** Stops the injection of faults. */
  async release(): Promise<void> {
    await this.attached?.release()
  }

  private hear(line: string): void {
    if (!hasFailed(line)) return
    this.count += 1
    this.noticeFirst()
  }
}

/**
 * Returns a command prefix that starts a program under strace. The program's calls fail from the first one on.
 */
export function commandUnderFault(fault: DiskFault, trace: string): readonly string[] {
  return ['strace', '-D', '-f', '-I', '2', '-o', trace, ...argumentsFor(fault)]
}

/** Detaches strace from a process that `commandUnderFault` started. No call fails afterwards. */
export function detachTracer(pid: number): void {
  const path = `/proc/${String(pid)}/status`
  if (!existsSync(path)) return
  const tracer = Number(/^TracerPid:\s+([0-9]+)/m.exec(readFileSync(path, 'utf8'))?.[1] ?? 0)
  if (tracer > 0) process.kill(tracer, 'SIGTERM')
}

/** Returns the number of failed calls in a trace. */
export function failuresIn(trace: string): number {
  return readFileSync(trace, 'utf8').split('\n').filter(hasFailed).length
}

function argumentsFor({ paths, failing }: DiskFault): readonly string[] {
  const traced = failing.flatMap(({ calls }) => calls).join(',')
  const injected = failing.flatMap(({ calls, error, when }) => [
    '-e',
    `inject=${calls.join(',')}:error=${error}:when=${when}`,
  ])
  return [...paths.flatMap((path) => ['-P', path]), '-e', `trace=${traced}`, ...injected]
}

function hasFailed(line: string): boolean {
  return line.includes('(INJECTED)')
}
