import { z } from 'zod'

const entry = z.object({ level: z.number() })
const errorLevel = 50

/** Of what a service has printed: entries of level error or fatal, and lines that are no entry of its log. */
export function complaintsIn(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => {
    if (!line.startsWith('{')) return true
    return (entry.safeParse(JSON.parse(line)).data?.level ?? errorLevel) >= errorLevel
  })
}
