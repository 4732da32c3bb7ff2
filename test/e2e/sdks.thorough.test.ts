import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect } from '@jest/globals'
import { z } from 'zod'
import { Random } from '../../fault-injection/random.js'
import { KilledService } from '../support/client/killed-service.js'
import { UnreliableProxy } from '../support/client/unreliable-proxy.js'
import { differences, isAsSent } from '../support/sdks/expected-messages.js'
import { itWithSdks, sdksFolder } from '../support/sdks/packages.js'
import { storedMessages } from '../support/sdks/stored-messages.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const size = { messages: 2_000, kills: 3, everyRequests: 15 }
const report = z.object({ delivered: z.array(z.number()), failed: z.array(z.number()) })
const run = promisify(execFile)

let proxy: UnreliableProxy | undefined
afterEach(() => proxy?.close())

const sdks = [
  '@segment/analytics-node',
  'analytics-node',
  '@rudderstack/rudder-sdk-node',
  '@customerio/cdp-analytics-node',
]

itWithSdks.each(sdks)(
  'messages that %s reports as delivered are stored once, in the right profile and at their time, through cuts, repeats and kill -9',
  async (sdk) => {
    proxy = await UnreliableProxy.start({ random: new Random(20_261_125) })
    const service = await KilledService.start(folder(), proxy, size)
    const words = [join(sdksFolder, 'send.js'), sdk, proxy.url, service.key]
    const sent = await run(process.execPath, [...words, String(size.messages)], {
      maxBuffer: 2 ** 26,
    })
    const { delivered, failed } = report.parse(JSON.parse(sent.stdout))
    const stored = await service.directly(storedMessages)
    await service.end()
    expect(differences(stored, delivered, isAsSent)).toEqual([])
    expect(delivered.length + failed.length).toBe(size.messages)
    expect(delivered.length).toBeGreaterThan(size.messages / 2)
    expect(service.kills).toBe(size.kills)
    expect(proxy.cuts).toBeGreaterThan(size.kills)
    expect(proxy.doubled).toBeGreaterThan(0)
  },
)
