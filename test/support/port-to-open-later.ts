import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Returns a free port on which the test listens later. The port lies below the ports that systems give to other
 * sockets, so no other socket takes it in the meantime.
 */
export async function portToOpenLater(): Promise<number> {
  const probe = createServer()
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const error = await new Promise((resolve) => {
      probe.once('error', resolve).listen(port, '127.0.0.1', () => {
        resolve(undefined)
      })
    })
    probe.removeAllListeners()
    if (error !== undefined) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}
