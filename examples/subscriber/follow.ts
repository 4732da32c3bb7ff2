import { FactSubscription, type PassedOver } from 'dossier/subscription'
import type { DailyEventsView } from './daily-events.js'

export interface Following {
  readonly url: string
  readonly everyMs: number
  /** End when all that was stored at the start is counted. */
  readonly once: boolean
  readonly stop: AbortSignal
  readonly say: (line: string) => void
}

/**
 * Keeps the view up to date until it is told to stop. Throws what the subscription throws; the view
 * then has everything before.
 */
export async function follow(view: DailyEventsView, following: Following): Promise<void> {
  const { url, everyMs, once, stop, say } = following
  const done = new AbortController()
  const after = view.position
  let facts = 0
  const subscription = new FactSubscription({
    url,
    after,
    signal: AbortSignal.any([stop, done.signal]),
    handle: (fact, position) => {
      view.apply(fact, position)
      facts += 1
    },
    reached: (position) => {
      view.moveTo(position)
    },
    caughtUp: () => {
      say(`caught up at ${placeOf(subscription)}: ${String(facts)} facts in this run`)
      if (once) done.abort()
    },
    passedOver: firstOfEachType((event) => {
      say(`${event.type} is no type this program knows: such facts are passed over`)
    }),
    interrupted: ({ reason, pauseMs }) => {
      say(`interrupted, goes on in ${String(pauseMs)} ms: ${reason}`)
    },
  })
  say(
    after === undefined
      ? 'begins with the first fact'
      : `goes on with the facts after position ${String(after.commit)}`,
  )
  const progress = setInterval(() => {
    void progressOf(subscription, facts).then(say)
  }, everyMs)
  try {
    await subscription.run()
    say(`stopped at ${placeOf(subscription)}: ${String(facts)} facts in this run`)
  } finally {
    clearInterval(progress)
  }
}

async function progressOf(subscription: FactSubscription, facts: number): Promise<string> {
  const counted = `${placeOf(subscription)}: ${String(facts)} facts in this run`
  const passed = `${String(subscription.passedOver)} passed over`
  const lag = await subscription.lag().then(
    ({ bytes }) => `${String(bytes)} bytes behind the head`,
    () => 'the server does not say where its head is',
  )
  return `at ${counted}, ${passed}, ${lag}`
}

function placeOf({ position }: FactSubscription): string {
  return position === undefined ? 'the beginning' : `position ${String(position.commit)}`
}

function firstOfEachType(tell: (event: PassedOver) => void): (event: PassedOver) => void {
  const told = new Set<string>()
  return (event) => {
    if (told.has(event.type)) return
    told.add(event.type)
    tell(event)
  }
}
