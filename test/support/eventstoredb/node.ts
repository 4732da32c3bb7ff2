import { type Metadata, type ServerWritableStream } from '@grpc/grpc-js'
import type { Committer } from './committer.js'
import type { Disk } from './disk.js'
import type { Faults, ServerRefusal, Rpc, Step } from './faults.js'
import type { CommitTimeout } from './commit-timeout.js'
import type { SizeLimits } from './proposed-event.js'
import { refusalError, type Endpoint, type WireError } from './wire-error.js'
import type { Written, Success, Writer } from './writer.js'

export interface Member extends Endpoint {
  readonly state: 'leader' | 'follower'
  readonly isAlive: boolean
}

/** What every call of one double shares. */
export interface Node {
  readonly disk: Disk
  readonly faults: Faults
  readonly committer: Committer
  readonly writer: Writer
  readonly commitTimeout: CommitTimeout
  /** How long it takes to read where `$all` ends, in milliseconds. */
  readonly headReadMs: number
  /** Larger appends and events are refused. */
  readonly limits: SizeLimits
  /** Grows with every restart: what an earlier process had under way is gone. */
  epoch(): number
  /** Ends the TCP connection that a call came on. */
  dropConnection(peer: string): void
  members(): readonly Member[]
  /** The leader, when it is another node. */
  otherLeader(): Endpoint | undefined
  self(): Endpoint
  readonly subscriptions: Set<Subscription>
}

export interface Subscription {
  readonly call: Pick<ServerWritableStream<unknown, unknown>, 'cancelled'>
  fail(error: WireError): void
}

/** The part of a gRPC call that a fault needs. */
export interface Caller {
  readonly cancelled: boolean
  readonly metadata: Metadata
  getPeer(): string
}

export type Answer =
  | Exclude<Written, { kind: 'pending' }>
  | Success
  | { readonly kind: 'refused'; readonly refusal: ServerRefusal }
  /** There is nobody left to answer. */
  | { readonly kind: 'silence' }

const SILENCE = { kind: 'silence' } as const

/** Writes as a call asks for, through all faults on its way; never rejects. */
export async function writeFor(
  node: Node,
  caller: Caller,
  { rpc, stream, write }: { rpc: Rpc; stream: string; write: () => Written },
): Promise<Answer> {
  const epoch = node.epoch()
  const meet = async (at: Step): Promise<Met | undefined> => {
    const met = await meetFault(node, caller, { rpc, at, stream })
    return node.epoch() === epoch ? met : SILENCE
  }
  const unread = await meet('beforeRead')
  if (endsCall(unread)) return unread
  if (caller.cancelled) return SILENCE
  if (mustRedirect(node, caller)) return { kind: 'refused', refusal: 'not-leader' }
  const unwritten = await meet('beforeWrite')
  if (endsCall(unwritten)) return unwritten
  const written = write()
  if (written.kind !== 'pending') return written
  const answer = await node.commitTimeout.await(written.answer)
  if (answer === undefined) return { kind: 'refused', refusal: 'commit-timeout' }
  const unanswered = await meet('afterWrite')
  if (unanswered === undefined) return answer
  return unanswered.kind === 'hide-position' ? { ...answer, position: undefined } : unanswered
}

/** Meets the fault that waits at the start of a call that only reads; rejects with its error. */
export async function admit(
  node: Node,
  caller: Caller,
  rpc: Rpc,
  stream?: string,
): Promise<boolean> {
  const met = await meetFault(node, caller, { rpc, at: 'beforeRead', stream })
  const later = met ?? (await meetFault(node, caller, { rpc, at: 'beforeWrite', stream }))
  if (later?.kind === 'refused') throw refusalError(later.refusal, leaderOf(node))
  if (later !== undefined) return false
  if (rpc === 'read' && mustRedirect(node, caller)) throw refusalError('not-leader', leaderOf(node))
  return !caller.cancelled
}

export function leaderOf(node: Node): Endpoint {
  return node.otherLeader() ?? node.self()
}

type Met = { kind: 'refused'; refusal: ServerRefusal } | typeof SILENCE | { kind: 'hide-position' }

function endsCall(met: Met | undefined): met is Exclude<Met, { kind: 'hide-position' }> {
  return met !== undefined && met.kind !== 'hide-position'
}

async function meetFault(
  node: Node,
  caller: Caller,
  { rpc, at, stream }: { rpc: Rpc; at: Step; stream: string | undefined },
): Promise<Met | undefined> {
  const strike = await node.faults.meet(rpc, at, stream)
  switch (strike?.kind) {
    case undefined:
      return undefined
    case 'hide-position':
      return { kind: 'hide-position' }
    case 'refuse':
      return { kind: 'refused', refusal: strike.refusal }
    case 'drop':
      node.dropConnection(caller.getPeer())
      return SILENCE
  }
}

/** A follower forwards what it is asked unless the caller insists on the leader. */
function mustRedirect(node: Node, { metadata }: Caller): boolean {
  return node.otherLeader() !== undefined && metadata.get('requires-leader')[0] === 'true'
}
