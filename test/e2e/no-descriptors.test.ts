import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from '@jest/globals'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const limit = 256
const sockets: Socket[] = []
const itOnLinux = process.platform === 'linux' ? it : it.skip

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

itOnLinux(
  'the service logs once, with the limit, that no file descriptor is left',
  async () => {
    const prefix = ['sh', '-c', `ulimit -n ${String(limit)}; exec "$0" "$@"`]
    const service = await StartedService.start(folder(), {}, prefix)
    for (let n = 0; n < limit; n += 1) {
      // Node closes connections for which the service has no descriptor.
      sockets.push(connect(service.port, '127.0.0.1').on('error', () => undefined))
    }
    const line = await service.line((text) => text.includes('no file descriptor is left'))
    expect(JSON.parse(line)).toMatchObject({ level: 50, reason: 'EMFILE', openFilesLimit: limit })
    for (const socket of sockets.splice(0)) socket.destroy()
    await service.end()
    expect(service.lines.filter((text) => text.includes('no file descriptor'))).toHaveLength(1)
  },
  60_000,
)
