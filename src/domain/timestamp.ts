let latest = { time: Number.NaN, text: '' }

/**
 * UTC with milliseconds, `2026-11-20T09:30:00.000Z`. Many facts are decided in the same millisecond:
 * its text is made once.
 */
export function timestampOf(date: Date): string {
  const time = date.getTime()
  if (time !== latest.time) latest = { time, text: date.toISOString() }
  return latest.text
}
