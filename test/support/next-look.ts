import { setTimeout as pause } from 'node:timers/promises'

const lookEveryMs = 15

/**
 * Between two looks at what another program does: one that looks without a break takes the processor
 * from the program that it waits for.
 */
export function nextLook(): Promise<void> {
  return pause(lookEveryMs)
}
