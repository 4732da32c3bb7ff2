import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** How long a client may take to read a last answer and hang up, in milliseconds. */
const lingerMs = 1_000

const lingering = new WeakSet<Duplex>()

/** Makes Node hang up in this way too, after a reply that is the last of its connection. */
export function hangUpInStages(server: Server): void {
  server.on('connection', (socket: Socket) => {
    socket.destroySoon = hangUpOnThis
  })
}

function hangUpOnThis(this: Socket): void {
  hangUp(this)
}

/**
 * Ends the connection, after some last words. A socket that is closed on bytes that nobody has read is
 * reset, and what it has sent may be lost on its way: this answer, and replies before it. So what
 * still comes is read, and thrown away.
 */
export function hangUp(socket: Duplex, words?: string): void {
  if (words === undefined) socket.end()
  else socket.end(words)
  if (lingering.has(socket)) return
  lingering.add(socket)
  // The parser would take it for requests.
  socket.removeAllListeners('data').on('data', () => undefined)
  socket.resume()
  if (socket.writableFinished) linger(socket)
  else
    socket.once('finish', () => {
      linger(socket)
    })
}

function linger(socket: Duplex): void {
  const end = setTimeout(() => {
    socket.destroy()
  }, lingerMs)
  socket.once('close', () => {
    clearTimeout(end)
  })
}
