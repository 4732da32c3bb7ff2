import { StreamExists, StreamMissing } from '../ports/store-errors.js'

/** A stream that exists once exists for ever: after this refusal the next append finds it. */
export async function unlessExisting<T>(appended: Promise<T>): Promise<T | undefined> {
  return unless(StreamExists, appended)
}

export async function unlessMissing<T>(appended: Promise<T>): Promise<T | undefined> {
  return unless(StreamMissing, appended)
}

async function unless<T>(
  refusal: typeof StreamExists | typeof StreamMissing,
  appended: Promise<T>,
): Promise<T | undefined> {
  try {
    return await appended
  } catch (error) {
    if (error instanceof refusal) return undefined
    throw error
  }
}
