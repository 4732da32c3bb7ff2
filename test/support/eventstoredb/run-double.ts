import { createInterface } from 'node:readline'
import { EventStoreDouble, type HeldCommits } from './event-store-double.js'
import type { Aim, ServerRefusal, Step } from './faults.js'
import type { Gate } from './gate.js'
import type { Member } from './node.js'
import type { Endpoint } from './wire-error.js'

/**
 * The double as a process of its own: `node run-double.js [port [keyFile certFile]]`, over TLS with
 * the two files.
 *
 * Writes one JSON line `{"port":…}` when it listens. Takes one JSON command a line and answers each
 * with one line: `{"done":<command>}`, with `"gate":<number>` for what can be released, or
 * `{"failed":<text>}`. `{"reached":<number>}` comes when a call waits at a gate.
 */
interface Command {
  readonly do: string
  readonly at?: Step
  readonly aim?: Aim
  readonly refusal?: ServerRefusal
  readonly gate?: number
  readonly uncommitted?: 'keep' | 'lose'
  readonly leader?: Endpoint
  readonly aheadMs?: number
  readonly members?: readonly Member[]
}

/** Does what it says; resolves with the number of the gate that it made, if it made one. */
type Handler = (command: Command) => unknown

const gates = new Map<number, Gate | HeldCommits>()
const [port = '0', keyFile, certFile] = process.argv.slice(2)
const double = await EventStoreDouble.start({
  port: Number(port),
  ...(keyFile !== undefined && certFile !== undefined && { tls: { keyFile, certFile } }),
})
say({ port: double.port })

const handlers: Readonly<Record<string, Handler>> = {
  hold: ({ at = 'beforeWrite', aim }) => keepGate(double.faults.hold(at, aim)),
  drop: ({ at = 'beforeWrite', aim }) => {
    double.faults.drop(at, aim)
  },
  refuse: ({ refusal = 'unknown-error', aim, at }) => {
    double.faults.refuse(refusal, aim, at)
  },
  'hide-position': ({ aim }) => {
    double.faults.hidePosition(aim)
  },
  'clear-faults': () => {
    double.faults.clear()
  },
  'hold-commits': () => keep(double.holdCommits()),
  release: ({ gate }) => {
    gateOf(gate).release()
  },
  expire: ({ gate }) => {
    expire(gateOf(gate))
  },
  restart: ({ uncommitted = 'keep' }) => double.restart({ uncommitted }),
  leader: ({ leader }) => {
    double.reportLeader(leader)
  },
  members: ({ members }) => {
    double.reportMembers(members)
  },
  scavenge: () => {
    double.scavenge()
  },
  'bend-clock': ({ aheadMs = 0 }) => {
    double.bendClock(aheadMs)
  },
  'drop-subscriptions': () => {
    double.dropSubscriptions()
  },
  'drop-connections': () => {
    double.dropConnections()
  },
  'refuse-connections': () => double.refuseConnections(),
  listen: () => double.listen(),
  close: () => double.close(),
}

const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  take(line).catch((error: unknown) => {
    say({ failed: error instanceof Error ? error.message : String(error) })
  })
})
lines.on('close', () => {
  void double.close()
})

async function take(line: string): Promise<void> {
  // The commands come from the run that started this process.
  const command = JSON.parse(line) as Command
  const handler = handlers[command.do]
  if (handler === undefined) throw new Error(`no such command: ${command.do}`)
  const made = await handler(command)
  say({ done: command.do, gate: typeof made === 'number' ? made : undefined })
  if (command.do === 'close') lines.close()
}

function keepGate(gate: Gate): number {
  const number = keep(gate)
  void gate.reached.then(() => {
    say({ reached: number })
  })
  return number
}

function keep(gate: Gate | HeldCommits): number {
  const number = gates.size + 1
  gates.set(number, gate)
  return number
}

function gateOf(number: number | undefined): Gate | HeldCommits {
  const gate = gates.get(number ?? 0)
  if (gate === undefined) throw new Error('no such gate')
  return gate
}

function expire(gate: Gate | HeldCommits): void {
  if ('expire' in gate) gate.expire()
}

function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}
