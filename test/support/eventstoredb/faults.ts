import { setTimeout } from 'node:timers/promises'
import { createBarrier, type Barrier, type Gate } from './gate.js'

/**
 * The step of a call at which a fault happens.
 * - `beforeRead`: the server has not looked at the request. If the caller gives up now, the request is never
 *   written.
 * - `beforeWrite`: the request will be written even if the caller gives up.
 * - `afterWrite`: the write is committed and not answered yet.
 */
export type Step = 'beforeRead' | 'beforeWrite' | 'afterWrite'

export type Rpc = 'append' | 'delete' | 'read' | 'gossip' | 'features'

/** The errors that the server can answer instead of executing or confirming a request. */
export type ServerRefusal =
  | 'server-not-ready'
  | 'server-too-busy'
  | 'not-leader'
  | 'no-leader-info'
  | 'access-denied'
  | 'unauthenticated'
  | 'unknown-error'
  | 'commit-timeout'
  | 'request-canceled'

export interface Aim {
  /** The kind of calls. Default: appends. */
  readonly rpc?: Rpc
  /** The stream of the calls, or a pattern for its name. Absent: calls for any stream. */
  readonly stream?: string | RegExp
  /** The number of calls. Default: 1. */
  readonly times?: number
}

export type Strike =
  | { readonly kind: 'drop' }
  | { readonly kind: 'refuse'; readonly refusal: ServerRefusal }
  | { readonly kind: 'hide-position' }
  | undefined

type Act = NonNullable<Strike> | { readonly kind: 'hold'; readonly barrier: Barrier }

interface Planned {
  readonly rpc: Rpc
  readonly stream: string | RegExp | undefined
  readonly at: Step
  readonly act: Act
  remaining: number
}

/** Faults for the next calls. At each step, a call meets the first fault that matches it. */
export class Faults {
  private plan: Planned[] = []

  /** Makes the matching calls wait at this step until the gate is released. */
  hold(at: Step, aim: Aim = {}): Gate {
    const barrier = createBarrier()
    this.add(at, aim, { kind: 'hold', barrier })
    return barrier
  }

  /** Makes the matching calls lose their TCP connection at this step. */
  drop(at: Step, aim: Aim = {}): void {
    this.add(at, aim, { kind: 'drop' })
  }

  /**
   * Refuses the matching calls at this step. With `afterWrite`, the write is committed although it is refused.
   */
  refuse(refusal: ServerRefusal, aim: Aim = {}, at: Step = 'beforeWrite'): void {
    this.add(at, aim, { kind: 'refuse', refusal })
  }

  /** Makes the matching appends succeed without a position. */
  hidePosition(aim: Aim = {}): void {
    this.add('afterWrite', aim, { kind: 'hide-position' })
  }

  /** Drops all planned faults and releases every gate. */
  clear(): void {
    const { plan } = this
    this.plan = []
    for (const { act } of plan) if (act.kind === 'hold') act.barrier.release()
  }

  /**
   * Finds the fault for a call at this step. Resolves when the call may continue, with the effect of the fault.
   */
  async meet(rpc: Rpc, at: Step, stream?: string): Promise<Strike> {
    const planned = this.plan.find((fault) => fits(fault, rpc, at, stream))
    if (planned === undefined) return undefined
    planned.remaining -= 1
    if (planned.remaining === 0) this.plan = this.plan.filter((fault) => fault !== planned)
    const { act } = planned
    if (act.kind !== 'hold') return act
    await act.barrier.pass()
    // A thawed process first reads what arrived in the meantime, including cancellations.
    if (at === 'beforeRead') await setTimeout(20)
    return undefined
  }

  private add(at: Step, { rpc = 'append', stream, times = 1 }: Aim, act: Act): void {
    this.plan.push({ rpc, stream, at, act, remaining: times })
  }
}

function fits(fault: Planned, rpc: Rpc, at: Step, stream: string | undefined): boolean {
  return fault.rpc === rpc && fault.at === at && isNamed(fault.stream, stream)
}

function isNamed(aim: string | RegExp | undefined, stream: string | undefined): boolean {
  if (aim instanceof RegExp) return stream !== undefined && aim.test(stream)
  return aim === undefined || aim === stream
}
