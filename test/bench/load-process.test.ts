import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { LoadProcess } from '../../bench/load/load-process.js'
import { Scope } from '../../bench/scope.js'

test('when the load process ends, its order fails, and so does the next', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const scope = new Scope()
  const load = await LoadProcess.start(scope)
  const order = {
    origin: `http://127.0.0.1:${String(port)}`,
    key: 'none',
    connections: 1,
    requests: 1,
    kind: 'event',
    named: { first: 0, count: 1, of: 1 },
    prefix: 'order-',
  } as const
  const underWay = expect(load.run(order)).rejects.toThrow('the load process ended with SIGTERM')
  const [socket] = (await once(silent, 'connection')) as [Socket]
  await scope.close()
  await underWay
  await expect(load.run(order)).rejects.toThrow('the load process ended with SIGTERM')
  socket.destroy()
  silent.close()
  await once(silent, 'close')
})
