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

/** The state that all calls of one double share. */
export interface Node {
  readonly disk: Disk
  readonly faults: Faults
  readonly committer: Committer
  readonly writer: Writer
  readonly commitTimeout: CommitTimeout
  /** The duration of a read of the end of `$all`, in milliseconds. */
  readonly headReadMs: number
  /** The size limits of appends and events. */
  readonly limits: SizeLimits
  /** Returns a number that grows with every restart. Calls of an earlier process are dropped. */
  epoch(): number
  /** Cuts the TCP connection of a call. */
  dropConnection(peer: string): void
  members(): readonly Member[]
  /** Returns the leader if it is another node. */
  otherLeader(): Endpoint | undefined
  self(): Endpoint
  readonly subscriptions: Set<Subscription>
}

export interface Subscription {
  readonly call: Pick<ServerWritableStream<unknown, unknown>, 'cancelled'>
  fail(error: WireError): void
}

/** The part of a gRPC call that faults need. */
export interface Caller {
  readonly cancelled: boolean
  readonly metadata: Metadata
  getPeer(): string
}

export type Answer =
  | Exclude<Written, { kind: 'pending' }>
  | Success
  | { readonly kind: 'refused'; readonly refusal: ServerRefusal }
  /** The call gets no answer. */
  | { readonly kind: 'silence' }

const SILENCE = { kind: 'silence' } as const

/** Executes the write of a call, including planned faults. Never rejects. */
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

/** Waits for the faults planned for the start of a read. Rejects with the error of the fault. */
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

/** Returns whether the call must go to the leader. A follower forwards other calls. */
function mustRedirect(node: Node, { metadata }: Caller): boolean {
  return node.otherLeader() !== undefined && metadata.get('requires-leader')[0] === 'true'
}
