/** The time, to the millisecond. */
export interface Clock {
  now(): Date
}
