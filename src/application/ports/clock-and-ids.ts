/** The time, to the millisecond. */
export interface Clock {
  now(): Date
}

/** Makes the ids of facts: UUIDs, never the same one twice, growing with time. */
export interface IdGenerator {
  next(): string
}
