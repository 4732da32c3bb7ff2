import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts the time of processes for others in hundredths of a second. */
const microsATick = 10_000

interface Times {
  readonly parent: number
  readonly own: number
  /** Of children that have ended and were waited for. */
  readonly ended: number
}

/** CPU that a process and all its threads have used, in µs; undefined where there is no /proc. */
export function cpuOf(pid: number): number | undefined {
  return timesOf(pid)?.own
}

/** The same of a process and its children, those that have ended included. */
export function cpuOfFamily(pid: number): number | undefined {
  const parent = timesOf(pid)
  if (parent === undefined) return undefined
  const children = readdirSync('/proc').flatMap((name) => {
    const times = /^[0-9]+$/.test(name) ? timesOf(Number(name)) : undefined
    return times?.parent === pid ? times.own + times.ended : []
  })
  return children.reduce((sum, child) => sum + child, parent.own + parent.ended)
}

/** Resident memory in MB; undefined where there is no /proc. */
export function rssOf(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+([0-9]+) kB$/m.exec(textOf(`/proc/${String(pid)}/status`) ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024
}

function timesOf(pid: number): Times | undefined {
  const text = textOf(`/proc/${String(pid)}/stat`)
  if (text === undefined) return undefined
  // The name, in brackets, may hold anything; the state and the parent come after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = (at: number) => Number(fields[at])
  return {
    parent: ticks(1),
    own: (ticks(11) + ticks(12)) * microsATick,
    ended: (ticks(13) + ticks(14)) * microsATick,
  }
}

/** A process may end while it is looked at. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
