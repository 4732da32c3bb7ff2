import { answered, clientOf, showAnswer, type Print, type ReadSource } from './read-answers.js'

/**
 * Prints the first customer's profile and latest events, each with the command that requests it. Prints nothing
 * when there is no customer. Throws `GaveUp`, and the reason of `stop`.
 */
export async function showCustomer(
  source: ReadSource,
  print: Print,
  stop: AbortSignal,
): Promise<void> {
  const { entities } = clientOf(source)
  const options = { signal: stop }
  const [first] = (await answered(entities.list({ limit: 1 }, options).page())).items
  if (first === undefined) return
  const id = first.external_id
  const path = `/entities/${encodeURIComponent(id)}`
  print(`\nWhat is known of customer ${id}, the last write included (Position):\n`)
  await showAnswer(source, path, entities.get(id, {}, options), print)
  const events = entities.events(id, { limit: 2 }, options).page()
  await showAnswer(source, `${path}/events?limit=2`, events, print)
  await showAnswer(source, `${path}/history`, entities.history(id, {}, options).page(), print)
}
