import { once } from 'node:events'
import { mkdirSync, watch } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { ChildProcess } from 'node:child_process'
import { describe, expect, it } from '@jest/globals'
import { asProcess1, itAsProcess1, signalProcess1 } from '../support/process-1.js'
import { launch, StartedService, startReleasedProgram } from '../support/started-service.js'
import { quickOrThorough, thoroughly } from '../support/thoroughness.js'
import { temporaryFolders } from '../support/temporary-folder.js'

startReleasedProgram()

const folder = temporaryFolders()

/** Environment variables that make a start hang forever at this import. */
const hangingAt = (specifier: string) => ({
  NODE_OPTIONS: `--import=${resolve('test/support/hold-import.js')}`,
  HOLD_IMPORT: specifier,
})

describe('a signal to process 1, which ignores signals without a handler', () => {
  const start = (place: string, env: Readonly<Record<string, string>> = {}) => {
    const program = launch(place, env, 'pipe', asProcess1)
    return { program, ended: once(program, 'exit') }
  }

  const held = [
    ['/run-service.js', 'SIGTERM'],
    ['fastify', 'SIGINT'],
    ['pino', 'SIGTERM'],
    ['fastify', 'SIGTERM'],
  ] as const
  itAsProcess1.each(held.slice(0, quickOrThorough({ quick: 2, thorough: 4 })))(
    'ends a start that is importing %s with 0: %s',
    async (specifier, signal) => {
      const { program, ended } = start(folder(), hangingAt(specifier))
      await printed(program, 'held: ')
      signalProcess1(program, signal)
      expect(await ended).toEqual([0, null])
    },
  )

  itAsProcess1('ends a start that waits for its store', async () => {
    const silent = createServer().listen(0, '127.0.0.1').unref()
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const { program, ended } = start(folder(), {
      STORE_URL: `esdb://127.0.0.1:${String(port)}?tls=false`,
      STORE_TIMEOUT_MS: '86400000',
    })
    await once(silent, 'connection')
    signalProcess1(program, 'SIGTERM')
    expect(await ended).toEqual([0, null])
    silent.close()
  })

  thoroughly(itAsProcess1)(
    'ends a start that makes its files, and the next one finds them whole',
    async () => {
      const place = folder()
      mkdirSync(join(place, 'data'))
      const changes = watch(join(place, 'data'), { persistent: false })
      const { program, ended } = start(place)
      await once(changes, 'change')
      changes.close()
      signalProcess1(program, 'SIGTERM')
      expect(await ended).toEqual([0, null])
      const next = await StartedService.start(place)
      expect((await next.createEntity('ada')).status).toBe(201)
      expect(await next.end()).toEqual({ code: 0, signal: null })
    },
  )

  thoroughly(itAsProcess1)('ends a service that has just said that it listens', async () => {
    const { program, ended } = start(folder())
    await printed(program, '"dossier is listening"')
    signalProcess1(program, 'SIGTERM')
    expect(await ended).toEqual([0, null])
  })
})

it('a signal during the start ends any other process with 0, and logs it', async () => {
  const program = launch(folder(), hangingAt('pino'))
  const ended = once(program, 'exit')
  await printed(program, 'held: ')
  const said = printed(program, 'dossier: SIGTERM during the start: stopped')
  program.kill('SIGTERM')
  await said
  expect(await ended).toEqual([0, null])
})

/** Resolves when the program has printed a line with this text. */
function printed(program: ChildProcess, text: string): Promise<void> {
  return new Promise((found, failed) => {
    for (const stream of [program.stdout, program.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        if (line.includes(text)) found()
      })
    }
    program.once('close', () => {
      failed(new Error(`the program ended and did not print ${text}`))
    })
  })
}
