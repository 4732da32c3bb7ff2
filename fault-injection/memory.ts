import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

const sampleMs = 250

/** Whether the system has Linux's `/proc`. */
export const hasProcesses = existsSync('/proc/self/status')

/** Returns the resident memory of a process in MB. Undefined without `/proc`. */
export function memoryOf(pid: number): number | undefined {
  if (!hasProcesses) return undefined
  const found = /^VmRSS:\s+([0-9]+) kB/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))
  return found === null ? undefined : Number(found[1]) / 1_024
}

/** Returns the number of open sockets of a process. Undefined without `/proc`. */
export function socketsOf(pid: number): number | undefined {
  if (!hasProcesses) return undefined
  const folder = `/proc/${String(pid)}/fd`
  return readdirSync(folder).filter((name) => isSocket(`${folder}/${name}`)).length
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:')
  } catch {
    // The descriptor was closed in the meantime.
    return false
  }
}

/** Samples the memory of a process until it is stopped. */
export class MemoryWatch {
  /** The highest sample in MB. 0 without `/proc`. */
  highest = 0
  private readonly timer: NodeJS.Timeout

  constructor(pid: number) {
    this.timer = setInterval(() => {
      this.highest = Math.max(this.highest, memoryOf(pid) ?? 0)
    }, sampleMs)
  }

  stop(): void {
    clearInterval(this.timer)
  }
}

/** Returns the limit of open files and sockets of this process. Undefined when the system does not report it. */
export function maxOpenFiles(): number | undefined {
  if (!hasProcesses) return undefined
  const limits = readFileSync('/proc/self/limits', 'utf8')
  const found = /^Max open files\s+([0-9]+)/m.exec(limits)
  return found === null ? undefined : Number(found[1])
}
