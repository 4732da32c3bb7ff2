import type { Random } from '../../../fault-injection/random.js'
import type { ReplicaLoad } from './replica-load.js'
import type { ReplicaProcess } from './replica-process.js'

/** What can happen to one of several processes. */
export type ProcessFault = (replica: ReplicaProcess, parts: FaultParts) => Promise<void>

export interface FaultParts {
  readonly load: ReplicaLoad
  readonly random: Random
  /** So many writes are stored by the others meanwhile. */
  readonly writes: number
}

/** Ended where it is; every third time it comes back without what it knew. */
const killed: ProcessFault = async (replica, { load, random, writes }) => {
  await replica.kill()
  await load.stored(writes)
  await replica.startAgain({ anew: random.between(1, 3) === 1 })
}

/** Stopped where it is: it goes on with what it was about to do when others have done it. */
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

/** The store does what it is asked, and no answer comes back. */
const unanswered: ProcessFault = async (replica, parts) => {
  replica.link.mute()
  await parts.load.stored(parts.writes)
  await cutOff(replica, parts)
}

/** Ended when nobody has heard yet what came of what it sent. */
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
