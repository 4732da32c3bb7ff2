import { it } from '@jest/globals'

/** A user without rights of its own, and its group: `nobody` on most systems. */
export const otherUser = 65_534

/** A test that changes owners; skipped for whoever may not. */
export const itAsRoot: typeof it.skip = process.geteuid?.() === 0 ? it : it.skip

/** Does `work` with the rights of `otherUser`. For tests of `itAsRoot`. */
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
