import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** The number of connections of each attack. All use one API key. */
export const hostileConnections = 64
const streams = 20

export interface Hostility {
  readonly port: number
  /** The API key of all attackers. It has the scope `read`. */
  readonly key: string
  /** The ids of an entity with large events, and of one with many small events. */
  readonly large: string
  readonly many: string
  readonly seconds: number
}

export interface Attack {
  readonly name: string
  readonly run: (hostility: Hostility) => Promise<void>
}

/** Attacks by which one reader may try to block others. */
export const attacks: readonly Attack[] = [
  {
    name: 'large pages, most hang up after 30 ms',
    run: (hostility) =>
      together(hostility, hostileConnections, (socket, n) => {
        socket.write(get(`/entities/${hostility.large}/events?limit=1000`, hostility.key))
        return n % 8 === 0 ? untilSilent(socket, 300) : pause(30)
      }),
  },
  {
    name: 'large pages that nobody takes',
    run: (hostility) =>
      together(hostility, hostileConnections, async (socket) => {
        socket.pause()
        socket.write(get(`/entities/${hostility.large}/events?limit=1000`, hostility.key))
        await pause(2_000)
      }),
  },
  {
    name: 'pages without a wait, given up at once',
    run: (hostility) =>
      together(hostility, hostileConnections, (socket) => {
        const path = `/entities/${hostility.many}/events?limit=1000`
        socket.write(get(path, hostility.key, 'Prefer: wait=0\r\n').repeat(4))
        return pause(60)
      }),
  },
  {
    name: 'streams that nobody reads',
    run: async (hostility) => {
      const path = '/facts?after=start'
      const open = Array.from({ length: streams }, () => {
        const socket = opened(hostility.port)
        socket.pause()
        socket.write(get(path, hostility.key, 'Accept: text/event-stream\r\n'))
        return socket
      })
      await pause(hostility.seconds * 1_000)
      for (const socket of open) socket.destroy()
    },
  },
  {
    name: 'rules of 60 conditions',
    run: (hostility) =>
      together(hostility, hostileConnections, (socket) => {
        socket.write(post('/segments/evaluate', hostility.key, heavyRule(hostility.many)))
        return untilSilent(socket, 1_000)
      }),
  },
]

/** Repeats the attack with new connections until its time is over. */
async function together(
  { port, seconds }: Hostility,
  connections: number,
  once: (socket: Socket, n: number) => Promise<void>,
): Promise<void> {
  const ends = performance.now() + seconds * 1_000
  const one = async (n: number) => {
    while (performance.now() < ends) {
      const socket = opened(port)
      await once(socket, n)
      socket.destroy()
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, n) => one(n)))
}

function opened(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' })
  // A reset connection is expected during an attack.
  socket.on('error', () => undefined)
  socket.on('data', () => undefined)
  return socket
}

/** Resolves when the service has ended the connection, or sent nothing for `silenceMs`. */
function untilSilent(socket: Socket, silenceMs: number): Promise<void> {
  return new Promise((resolve) => {
    socket.setTimeout(silenceMs, resolve)
    socket.once('close', () => {
      resolve()
    })
  })
}

function head(line: string, key: string): string {
  return `${line} HTTP/1.1\r\nHost: dossier\r\nAuthorization: Bearer ${key}\r\n`
}

function get(path: string, key: string, more = ''): string {
  return `${head(`GET ${path}`, key)}${more}\r\n`
}

function post(path: string, key: string, content: object): string {
  const body = JSON.stringify(content)
  const length = `Content-Length: ${String(Buffer.byteLength(body))}`
  return `${head(`POST ${path}`, key)}Content-Type: application/json\r\n${length}\r\n\r\n${body}`
}

function heavyRule(externalId: string): object {
  const conditions = Array.from({ length: 60 }, (_, n) => ({
    event: 'tick',
    where: { '/n': { gte: n } },
    within: `${String(n + 1)}d`,
    count: { eq: 50 },
  }))
  return { rule: { any: conditions }, external_ids: [externalId] }
}
