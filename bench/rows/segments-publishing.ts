import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { median } from '../report/statistics.js'
import { defineSegments } from '../segments/define-segments.js'
import { PublishedFeed } from '../segments/published-feed.js'
import { Visitors, visited } from '../segments/visitors.js'
import { startDossier } from '../servers/dossier.js'
import { cpuOf } from '../servers/process-figures.js'
import { readsAnswered } from '../servers/read-readiness.js'
import type { RunningServer } from '../servers/running-server.js'
import { Skipped } from '../skipped.js'
import type { Bench, Row } from './row.js'

/** The time from the visits of all until they leave: this, and a second for each number of members. */
const minLeadMs = 4_000
const visitsASecond = 600

/** How fast is published who enters and leaves at once. */
export const segmentsPublishing: readonly Row[] = [
  row('segments-publishing', () => ({})),
  row('segments-publishing-eventstoredb', () => {
    const url = process.env['ESDB_TEST_URL']
    if (url === undefined) throw new Skipped('set ESDB_TEST_URL to the URL of a server')
    return { STORE_URL: url }
  }),
]

function row(id: string, envOf: () => Readonly<Record<string, string>>): Row {
  return {
    id,
    about:
      'all entities enter a segment by events of theirs, then leave at one instant: until published',
    long: true,
    run: async (bench) => {
      const { options, progress, scope } = bench
      const env = envOf()
      const server = await startDossier({ name: id, folder: await bench.folder(), env }, scope)
      await readsAnswered(server)
      const key = `published-${randomUUID()}`
      const visitors = new Visitors(server, `${key}-`, options.members)
      await visitors.create()
      await defineSegments(server, [{ key, rule: visited }])
      const rounds: Round[] = []
      // The first is a warm-up.
      while (rounds.length <= options.slices) {
        rounds.push(await roundOf(bench, server, visitors, key))
        progress.done(2)
      }
      await server.end()
      return { figures: figuresOf(rounds.slice(1), options.members) }
    },
  }
}

/** Times in milliseconds. */
interface Round {
  /** From the first visit until all who entered were read of, and of that after the last one's reply. */
  readonly entered: number
  readonly behind: number
  /** From the instant at which all leave, until the first was read of, and until all were. */
  readonly firstLeft: number
  readonly left: number
  /** Of the service in that time, in µs. */
  readonly leftCpu: number | undefined
}

async function roundOf(
  { scope }: Bench,
  server: RunningServer,
  visitors: Visitors,
  key: string,
): Promise<Round> {
  const { count } = visitors
  const entered = new Set<string>()
  const left = new Set<string>()
  let firstLeftAt = 0
  const feed = await PublishedFeed.open(server, scope, ({ type, data }) => {
    if (data.segment !== key) return
    if (type === 'EntityLeftSegment' && left.size === 0) firstLeftAt = Date.now()
    const those = type === 'EntityEnteredSegment' ? entered : left
    if (those.has(data.entityId)) throw new Error(`${type} was published twice of one entity`)
    those.add(data.entityId)
  })
  const begun = Date.now()
  const instant = begun + minLeadMs + (count * 1_000) / visitsASecond
  await visitors.visitUntil(instant)
  const replied = Date.now()
  await feed.until(() => entered.size === count)
  const enteredAt = Date.now()
  if (left.size > 0 || enteredAt > instant) {
    throw new Error('some left before all who entered were published: take fewer with --members')
  }
  await pause(instant - enteredAt)
  const cpu = cpuOf(server.pid)
  await feed.until(() => left.size === count)
  const leftAt = Date.now()
  const cpuNow = cpuOf(server.pid)
  feed.close()
  return {
    entered: enteredAt - begun,
    behind: enteredAt - replied,
    firstLeft: firstLeftAt - instant,
    left: leftAt - instant,
    leftCpu: cpu === undefined || cpuNow === undefined ? undefined : cpuNow - cpu,
  }
}

function figuresOf(rounds: readonly Round[], count: number) {
  const middle = (of: (round: Round) => number | undefined) =>
    median(rounds.flatMap((round) => of(round) ?? []))
  return [
    { name: 'entities', value: count, unit: '' },
    { name: 'enter by events', value: (count * 1_000) / middle((one) => one.entered), unit: 'a s' },
    { name: 'all published after the last reply', value: middle((one) => one.behind), unit: 'ms' },
    {
      name: 'leave at one instant',
      value: (count * 1_000) / middle((one) => one.left),
      unit: 'a s',
    },
    { name: 'first published after it', value: middle((one) => one.firstLeft), unit: 'ms' },
    { name: 'all published after it', value: middle((one) => one.left), unit: 'ms' },
    {
      name: 'of that',
      value: middle((one) => one.leftCpu) / count,
      unit: 'CPU µs a fact published',
    },
  ]
}
