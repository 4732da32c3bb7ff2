import { readdirSync, readFileSync } from 'node:fs'

/** The length of a tick in µs. Linux reports the CPU time of other processes in ticks of 10 ms. */
const microsATick = 10_000

interface Times {
  readonly parent: number
  readonly own: number
  /** The CPU time of children that have ended and were waited for. */
  readonly ended: number
}

/** Returns the CPU time of a process and its threads, in µs. Undefined without /proc. */
export function cpuOf(pid: number): number | undefined {
  return timesOf(pid)?.own
}

/** Returns the CPU time of a process and its children, including children that have ended. */
export function cpuOfFamily(pid: number): number | undefined {
  const parent = timesOf(pid)
  if (parent === undefined) return undefined
  const children = readdirSync('/proc').flatMap((name) => {
    const times = /^[0-9]+$/.test(name) ? timesOf(Number(name)) : undefined
    return times?.parent === pid ? times.own + times.ended : []
  })
  return children.reduce((sum, child) => sum + child, parent.own + parent.ended)
}

/** Returns the resident memory in MB. Undefined without /proc. */
export function rssOf(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+([0-9]+) kB$/m.exec(textOf(`/proc/${String(pid)}/status`) ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024
}

function timesOf(pid: number): Times | undefined {
  const text = textOf(`/proc/${String(pid)}/stat`)
  if (text === undefined) return undefined
  // The name of the process is in parentheses and can contain any character. The other fields
  // follow the name.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = (at: number) => Number(fields[at])
  return {
    parent: ticks(1),
    own: (ticks(11) + ticks(12)) * microsATick,
    ended: (ticks(13) + ticks(14)) * microsATick,
  }
}

/** Returns the text of a file. Undefined when the process has ended in the meantime. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
