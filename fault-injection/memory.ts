import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

const sampleMs = 250

/** Whether the system has `/proc` as Linux does. */
export const hasProcesses = existsSync('/proc/self/status')

/** Returns the resident memory of a process in MB. Undefined without `/proc`. */
export function memoryOf(pid: number): number | undefined {
  if (!hasProcesses) return undefined
  const found = /^VmRSS:\s+([0-9]+) kB/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))
  return found === null ? undefined : Number(found[1]) / 1_024
}

/** Counts the open sockets of a process. Undefined without `/proc`. */
export function socketsOf(pid: number): number | undefined {
  if (!hasProcesses) return undefined
  const folder = `/proc/${String(pid)}/fd`
  return readdirSync(folder).filter((name) => isSocket(`${folder}/${name}`)).length
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:')
  } catch {
    // It was closed in between.
    return false
  }
}

/** Samples the memory of a process until it is stopped. */
export class MemoryWatch {
  /** In MB. 0 without `/proc`. */
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

/** How many files and sockets this process, and one like it, may have open; undefined: nobody says. */
export function maxOpenFiles(): number | undefined {
  if (!hasProcesses) return undefined
  const limits = readFileSync('/proc/self/limits', 'utf8')
  const found = /^Max open files\s+([0-9]+)/m.exec(limits)
  return found === null ? undefined : Number(found[1])
}
