import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Hangs up on clients that do not read: on a connection on which nothing has moved for the server's
 * own time-out while bytes of a reply wait to leave. A request that waits for the store has none, and
 * waits on.
 */
export function hangUpOnUnreadReplies(server: Server): void {
  server.on('request', (_request, response) => {
    // Node asks the reply whose turn it is. Without a listener it would hang up on whoever waits.
    response.on('timeout', hangUpIfUnread)
  })
}

function hangUpIfUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy()
}
