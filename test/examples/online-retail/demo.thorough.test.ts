import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { nextLook } from '../../support/next-look.js'
import { accountIn, root, startProgram, type Program } from './program.js'

const run = promisify(execFile)

/** One customer bought a month ago, with a cancellation and a second country; the other much on the last day. */
const orders = `InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country
1,A,LAMP,6,2010-11-01 08:26:00,2.55,1.0,France
C2,A,LAMP,-6,2010-11-28 08:26:00,2.55,1.0,France
3,B,CUP,1,2010-11-03 08:26:00,1.5,1.0,Spain
4,B,CUP,1,2010-12-03 08:26:00,1.5,2.0,Spain
4,C,CHAIR,2,2010-12-03 08:26:00,502.5,2.0,Spain
`

let folder: string
let programs: Program[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-'))
  programs = []
})

afterEach(async () => {
  for (const { child } of programs) child.kill('SIGKILL')
  await Promise.all(programs.map(({ ended }) => ended))
  rmSync(folder, { recursive: true })
})

function started(path: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const program = startProgram(path, args, env)
  programs.push(program)
  return program
}

interface ShownAnswer {
  readonly command: string
  readonly answer: unknown
}

/** Each command that was printed, with the answer below it. */
function shownIn(out: string): readonly ShownAnswer[] {
  return [...out.matchAll(/^(curl .*)\n(\{\n[^]*?\n\})$/gm)].map(
    ([, command = '', answer = '']) => ({
      command,
      answer: JSON.parse(answer) as unknown,
    }),
  )
}

/** The variables of `A=1 B=2 npx dossier start`. */
function variablesIn(line: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...line.matchAll(/([A-Z_]+)=(\S+) /g)].map(([, name = '', value = '']) => [name, value]),
  )
}

test('the demo sends a file until yesterday, and serves it until it is interrupted; its commands answer the same when pasted', async () => {
  const file = join(folder, 'orders.csv')
  writeFileSync(file, orders)
  const data = join(folder, 'data')
  const words = ['demo', '--file', file, '--data', data]
  const demo = started('dist/dossier.js', words, {})
  const keyLine = await demo.lineWith('can read alone: ')
  const origin = (await demo.lineWith('/console')).replace(/^.* (http.*)\/console$/, '$1')
  const headers = { authorization: `Bearer ${keyLine.split(': ')[1] ?? ''}` }
  while ((await fetch(`${origin}/key`, { headers })).status === 401) await nextLook()
  const events = await fetch(`${origin}/entities/2/events`, { headers })
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  expect(await events.json()).toMatchObject({
    data: {
      items: [{ properties: { total: 1_006.5 }, occurred_at: `${yesterday}T08:26:00.000Z` }],
    },
  })
  // The customer was there before their first order, which was yesterday.
  const before = `${yesterday}T00:00:00Z`
  const profile = await fetch(`${origin}/entities/2?as_of=${before}`, { headers })
  expect(await profile.json()).toMatchObject({
    data: { properties: { country: 'Spain' }, event_count: 0 },
  })
  demo.child.kill('SIGINT')
  const ended = await demo.ended
  expect(ended.code).toBe(0)
  expect(accountIn(ended)).toMatchObject({ 'orders stored': 4, 'lines read': 5 })

  const shown = shownIn(ended.out)
  expect(shown.map(({ answer }) => answer)).toMatchObject([
    { data: { segment: 'win-back', member: true, why: { holds: true } } },
    { data: { external_id: expect.stringMatching(/^[12]$/), properties: { country: 'Spain' } } },
    { data: { items: expect.any(Array) } },
    { data: { items: expect.any(Array) } },
  ])
  // Two creations, a change of country and four orders.
  for (const { command } of shown.slice(1)) expect(command).toContain("-H 'Position: 7'")
  expect([...ended.out.matchAll(/^ +(\d+) {2}(\S+)/gm)].map(([, ...row]) => row)).toEqual([
    ['1', 'big-spenders'],
    ['1', 'gave-back'],
    ['1', 'win-back'],
  ])

  const startAgain = ended.err.split('\n').find((line) => line.endsWith(' npx dossier start')) ?? ''
  const variables = variablesIn(startAgain)
  expect(variables).toMatchObject({ SEARCH_PROPERTIES: '/country', PORT: new URL(origin).port })
  const service = started('dist/dossier.js', ['start'], variables)
  await service.lineWith('dossier is listening')
  for (const { command, answer } of shown) {
    const { stdout } = await run('bash', ['-c', command], { cwd: root })
    expect(JSON.parse(stdout)).toEqual(answer)
  }

  service.child.kill('SIGTERM')
  await service.ended
  const again = started('dist/dossier.js', words, { PORT: new URL(origin).port })
  expect(await again.lineWith('can read alone: ')).toBe(keyLine)
  expect(await again.lineWith('/console')).toContain(` ${origin}/console`)
  again.child.kill('SIGINT')
  const replayed = await again.ended
  expect(accountIn(replayed)).toMatchObject({ 'orders replayed': 4 })
  expect(shownIn(replayed.out).map((one) => one.answer)).toEqual(shown.map(({ answer }) => answer))
})
