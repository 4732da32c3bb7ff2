/** Whether facts may be stored under the time of this process's clock. */
export interface ClockTrust {
  readonly isTrusted: boolean
}

/** Where there is no clock to compare ours with. */
export const trustedClock: ClockTrust = { isTrusted: true }
