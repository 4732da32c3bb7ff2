import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { z } from 'zod'

/**
 * What one commit for all who wait is worth: `POST /events`, durable, 64 connections, against the
 * same with one commit a request. Paired slices, one after the other, so that a drift of the machine
 * meets both.
 */
const pairs = Number(process.argv[2] ?? '5')
const result = z.object({
  perSecond: z.number(),
  p50: z.number(),
  p99: z.number(),
  failures: z.literal(0),
})

function start(script: string, ...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [new URL(script, import.meta.url).pathname, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new TypeError('no output')
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return line
}

async function measure(mode: string): Promise<z.infer<typeof result>> {
  const server = start('server.js', mode)
  const origin = await firstLine(server)
  const line = await firstLine(start('load.js', origin, '64', '2'))
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  await ended
  return result.parse(JSON.parse(line))
}

const ratios: number[] = []
console.log('pair   grouped/s  p99 ms   single/s  p99 ms    ratio')
for (let pair = 1; pair <= pairs; pair += 1) {
  const grouped = await measure('grouped')
  const single = await measure('single')
  const ratio = grouped.perSecond / single.perSecond
  ratios.push(ratio)
  const cells = [grouped.perSecond, grouped.p99, single.perSecond, single.p99]
  const row = cells.map((cell) => cell.toFixed(cell > 1_000 ? 0 : 1).padStart(9))
  console.log(`${String(pair).padStart(4)} ${row.join(' ')} ${ratio.toFixed(2).padStart(8)}`)
}
ratios.sort((a, b) => a - b)
const [min, median, max] = [0, Math.floor(ratios.length / 2), ratios.length - 1].map((at) =>
  (ratios[at] ?? 0).toFixed(2),
)
console.log(`\nratio grouped / single: min ${min ?? ''}, median ${median ?? ''}, max ${max ?? ''}`)
