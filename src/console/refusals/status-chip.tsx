import type { JSX } from 'preact'
import { Chip, type Tone } from '../parts/chip.js'

/** The status of a refusal. */
export function StatusChip({ status }: { status: number }): JSX.Element {
  const tone: Tone = status >= 500 || status === 422 ? 'bad' : status === 404 ? 'warn' : 'plain'
  return <Chip tone={tone}>{String(status)}</Chip>
}
