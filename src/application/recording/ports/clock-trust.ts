/** Whether facts may be stored under the time of this process's clock. */
export interface ClockTrust {
  readonly isTrusted: boolean
}
