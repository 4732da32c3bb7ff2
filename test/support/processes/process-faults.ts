import type { Random } from '../../../fault-injection/random.js'
import type { ReplicaLoad } from './replica-load.js'
import type { ReplicaProcess } from './replica-process.js'

/** A fault that happens to one of several processes. */
export type ProcessFault = (replica: ReplicaProcess, parts: FaultParts) => Promise<void>

export interface FaultParts {
  readonly load: ReplicaLoad
  readonly random: Random
  /** The number of writes that the other processes store during the fault. */
  readonly writes: number
}

/** Kills the process. Every third time, it restarts without its read model. */
const killed: ProcessFault = async (replica, { load, random, writes }) => {
  await replica.kill()
  await load.stored(writes)
  await replica.startAgain({ anew: random.between(1, 3) === 1 })
}

/**
 * Freezes the process. After the thaw, it continues although other processes have already done its
 * work.
 */
const frozen: ProcessFault = async (replica, { load, writes }) => {
  replica.freeze()
  try {
    await load.stored(writes)
  } finally {
    replica.thaw()
  }
}

const cutOff: ProcessFault = async ({ link }, { load, writes }) => {
  await link.cut()
  await load.stored(writes)
  await link.mend()
}

/** Mutes the store: requests are executed, and no answer returns. */
const unanswered: ProcessFault = async (replica, parts) => {
  replica.link.mute()
  await parts.load.stored(parts.writes)
  await cutOff(replica, parts)
}

/** Kills the process while the outcomes of its requests are unknown. */
const killedUnanswered: ProcessFault = async (replica, parts) => {
  replica.link.mute()
  await parts.load.stored(parts.writes)
  await replica.kill()
  await replica.link.cut()
  await replica.link.mend()
  await replica.startAgain({ anew: false })
}

export const processFaults: Readonly<Record<string, ProcessFault>> = {
  killed,
  frozen,
  'cut off': cutOff,
  unanswered,
  'killed unanswered': killedUnanswered,
}
