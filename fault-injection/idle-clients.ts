import { RawConnection } from '../test/support/raw-connection.js'

const atOnce = 200

/** Opens connections that send one request and then stay idle. */
export async function openIdle(count: number, port: number): Promise<readonly RawConnection[]> {
  const opened: RawConnection[] = []
  while (opened.length < count) {
    const batch = Array.from({ length: Math.min(atOnce, count - opened.length) }, async (_, n) => {
      // Each local address has its own range of ports.
      const connection = await RawConnection.open(port, {
        localAddress: `127.0.2.${String(1 + (n % 4))}`,
      })
      connection.send('GET /health/live HTTP/1.1\r\nHost: dossier\r\n\r\n')
      await connection.reply()
      return connection
    })
    opened.push(...(await Promise.all(batch)))
  }
  return opened
}

/** Opens connections that request far more data than they read. */
export async function openDeaf(count: number, port: number): Promise<readonly RawConnection[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const connection = await RawConnection.open(port, { localAddress: '127.0.3.1' })
      connection.stopReading()
      connection.send('GET /openapi.json HTTP/1.1\r\nHost: dossier\r\n\r\n'.repeat(1_000))
      return connection
    }),
  )
}
