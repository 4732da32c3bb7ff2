import { it } from '@jest/globals'

/** The id of a user without permissions, and of its group: `nobody` on most systems. */
export const otherUser = 65_534

/** A test that changes file owners. Skipped unless root runs it. */
export const itAsRoot: typeof it.skip = process.geteuid?.() === 0 ? it : it.skip

/** Runs `work` with the permissions of `otherUser`. For tests of `itAsRoot`. */
export async function asOtherUser<T>(work: () => T | Promise<T>): Promise<T> {
  process.setegid?.(otherUser)
  process.seteuid?.(otherUser)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
    process.setegid?.(0)
  }
}
