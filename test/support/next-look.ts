import { setTimeout as pause } from 'node:timers/promises'

const lookEveryMs = 15

/**
 * Waits between two checks of another program. Checking without a pause would take the processor from that program.
 */
export function nextLook(): Promise<void> {
  return pause(lookEveryMs)
}
