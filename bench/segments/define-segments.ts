import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { RunningServer } from '../servers/running-server.js'
import type { BenchSegment } from './segments-of.js'

const betweenLooksMs = 50
const listForm = z.object({
  data: z.object({ items: z.array(z.object({ key: z.string(), status: z.string() })) }),
})

/** Defines segments as a caller does. Resolves when they are live. */
export async function defineSegments(
  server: RunningServer,
  segments: readonly Pick<BenchSegment, 'key' | 'rule'>[],
): Promise<void> {
  for (const { key, rule } of segments) {
    const body = JSON.stringify({ title: key, kind: 'rule', rule })
    await answered(server, 201, `/segments/${key}`, { method: 'PUT', body })
  }
  for (;;) {
    const { data } = listForm.parse(JSON.parse(await answered(server, 200, '/segments', {})))
    const live = new Set(data.items.flatMap(({ key, status }) => (status === 'live' ? [key] : [])))
    if (segments.every(({ key }) => live.has(key))) return
    await pause(betweenLooksMs)
  }
}

async function answered(
  { name, origin, key }: RunningServer,
  status: number,
  path: string,
  init: RequestInit,
): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, ...(init.body === undefined ? {} : json) }
  const reply = await fetch(origin + path, { ...init, headers })
  const text = await reply.text()
  if (reply.status === status) return text
  throw new Error(`${name} answered ${String(reply.status)} ${text}`)
}

const json = { 'content-type': 'application/json' }
