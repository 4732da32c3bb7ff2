import { z } from 'zod'
import { readAnswer, showAnswer, type Print, type ReadSource } from './read-answers.js'

const firstCustomer = z.object({
  data: z.object({ items: z.array(z.object({ external_id: z.string() })) }),
})

/**
 * Reads the first customer's profile and latest events, and prints for each the command that asks for
 * it, ready to paste, with its answer. Prints nothing when there is no customer. Throws `GaveUp`, and
 * the reason of `stop`.
 */
export async function showCustomer(
  source: ReadSource,
  print: Print,
  stop: AbortSignal,
): Promise<void> {
  const list = firstCustomer.parse(await readAnswer(source, '/entities?limit=1', stop))
  const customer = list.data.items[0]?.external_id
  if (customer === undefined) return
  const path = `/entities/${encodeURIComponent(customer)}`
  print(`\nWhat is known of customer ${customer}, the last write included (Position):\n`)
  for (const asked of [path, `${path}/events?limit=2`, `${path}/history`]) {
    await showAnswer(source, asked, print, stop)
  }
}
