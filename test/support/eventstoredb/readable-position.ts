import type { StoredRecord } from './record.js'

/** Whether the server can start reading there: at an event or, going forwards, beyond the last. */
export function isReadable(
  records: readonly StoredRecord[],
  position: bigint,
  backwards: boolean,
): boolean {
  const last = records.at(-1)?.position ?? 0n
  if (position === 0n || (!backwards && position > last)) return true
  return records.some((record) => record.position === position)
}
