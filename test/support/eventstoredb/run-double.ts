import { createInterface } from 'node:readline'
import { EventStoreDouble, type HeldCommits } from './event-store-double.js'
import type { Aim, ServerRefusal, Step } from './faults.js'
import type { Gate } from './gate.js'
import type { Member } from './node.js'
import type { Endpoint } from './wire-error.js'

/**
 * Runs the double as a separate process: `node run-double.js [port [keyFile certFile]]`, with TLS if the two files
 * are given.
 *
 * The process prints one JSON line `{"port":…}` when it is listening. It reads one JSON command per line and
 * answers each with one line: `{"done":<command>}` or `{"failed":<text>}`. `"gate":<number>` is added for a gate
 * that can be released. The line `{"reached":<number>}` says that a call waits at that gate.
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

/** Executes a command. Resolves with the number of the gate that the command created, if it created one. */
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
  // The commands come from the test that started this process.
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
