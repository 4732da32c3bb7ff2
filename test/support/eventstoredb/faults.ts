import { setTimeout } from 'node:timers/promises'
import { createBarrier, type Barrier, type Gate } from './gate.js'

/**
 * Where a fault strikes. `beforeRead`: the request is not looked at yet, so one whose caller has
 * given up meanwhile is never written. `beforeWrite`: it is past that check and will be written
 * whoever still waits. `afterWrite`: it is committed and not answered yet.
 */
export type Step = 'beforeRead' | 'beforeWrite' | 'afterWrite'

export type Rpc = 'append' | 'delete' | 'read' | 'gossip' | 'features'

/** What the server can say instead of doing or of confirming what it was asked. */
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
  /** Which calls: appends unless said otherwise. */
  readonly rpc?: Rpc
  /** Only calls for this stream, or for streams whose names match. */
  readonly stream?: string | RegExp
  /** How many calls, 1 unless said otherwise. */
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

/** The faults that calls to come shall meet: each call meets the first that fits, at each step. */
export class Faults {
  private plan: Planned[] = []

  /** The calls aimed at wait at this step for the gate's release. */
  hold(at: Step, aim: Aim = {}): Gate {
    const barrier = createBarrier()
    this.add(at, aim, { kind: 'hold', barrier })
    return barrier
  }

  /** The calls aimed at lose their TCP connection at this step. */
  drop(at: Step, aim: Aim = {}): void {
    this.add(at, aim, { kind: 'drop' })
  }

  /** The calls aimed at are refused at this step; after the write, though it is committed. */
  refuse(refusal: ServerRefusal, aim: Aim = {}, at: Step = 'beforeWrite'): void {
    this.add(at, aim, { kind: 'refuse', refusal })
  }

  /** The appends aimed at succeed without a position. */
  hidePosition(aim: Aim = {}): void {
    this.add('afterWrite', aim, { kind: 'hide-position' })
  }

  /** Forgets all faults to come and releases every gate. */
  clear(): void {
    const { plan } = this
    this.plan = []
    for (const { act } of plan) if (act.kind === 'hold') act.barrier.release()
  }

  /** What a call meets at this step: resolves when it may go on, with what it must do then. */
  async meet(rpc: Rpc, at: Step, stream?: string): Promise<Strike> {
    const planned = this.plan.find((fault) => fits(fault, rpc, at, stream))
    if (planned === undefined) return undefined
    planned.remaining -= 1
    if (planned.remaining === 0) this.plan = this.plan.filter((fault) => fault !== planned)
    const { act } = planned
    if (act.kind !== 'hold') return act
    await act.barrier.pass()
    // A process that thaws reads first what came meanwhile: the cancellations among it.
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
