/** The current time, in whole milliseconds. */
export interface Clock {
  now(): Date
}

/** Generates the ids of facts: UUIDs that are unique and increase with time. */
export interface IdGenerator {
  next(): string
}
