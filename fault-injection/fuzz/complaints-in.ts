import { z } from 'zod'

const entry = z.object({ level: z.number() })
const errorLevel = 50

/**
 * Returns suspicious lines of a service's output: log entries of level error or fatal, and lines that are not log
 * entries.
 */
export function complaintsIn(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => {
    if (!line.startsWith('{')) return true
    return (entry.safeParse(JSON.parse(line)).data?.level ?? errorLevel) >= errorLevel
  })
}
