import { StreamExists } from '../ports/store-errors.js'

/** A stream that exists once exists for ever: after this refusal the next append finds it. */
export async function unlessExisting<T>(appended: Promise<T>): Promise<T | undefined> {
  try {
    return await appended
  } catch (error) {
    if (error instanceof StreamExists) return undefined
    throw error
  }
}
