import { fork } from 'node:child_process'
import { z } from 'zod'
import { peersFolder } from '../places.js'
import type { Scope } from '../scope.js'
import { endProcess } from './end-process.js'
import type { RunningServer } from './running-server.js'

const listening = z.object({ origin: z.string() })

/** Starts a peer of `bench/peers`, by its file name, as a separate process. */
export async function startPeer(
  name: string,
  env: Readonly<Record<string, string>>,
  scope: Scope,
): Promise<RunningServer> {
  const child = fork(`${peersFolder}${name}.js`, {
    execArgv: [],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const end = async () => {
    await endProcess(child)
  }
  await scope.own(end)
  const origin = await new Promise<string>((found, failed) => {
    child.once('exit', () => {
      failed(new Error(`the peer ${name} ended before it listened`))
    })
    child.once('message', (message) => {
      found(listening.parse(message).origin)
    })
  })
  return { name, origin, key: 'none', pid: child.pid ?? 0, end }
}
