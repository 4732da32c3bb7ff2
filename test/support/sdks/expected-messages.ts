import { isDeepStrictEqual } from 'node:util'
import type { StoredMessage } from './stored-messages.js'

const kinds = ['bought', 'bought', 'bought', 'identify', 'page', 'screen', 'group', 'alias']
const firstAt = Date.UTC(2026, 0, 5)

/** What is to be stored of the message of a number, as `test/sdks/messages.js` makes it. */
function expectedMessage(number: number, id: string): StoredMessage {
  const name = kinds[number % kinds.length] ?? ''
  const at = name === 'identify' ? undefined : timeOf(number)
  return { number, id, name, at }
}

function timeOf(number: number): string {
  return new Date(firstAt + number * 1_000).toISOString()
}

/** The messages that were delivered and are not stored, those stored twice, and those stored wrongly. */
export function differences(
  stored: readonly StoredMessage[],
  delivered: readonly number[],
  isRight: (message: StoredMessage) => boolean,
): readonly string[] {
  const numbers = new Set(stored.map(({ number }) => number))
  const lost = delivered.filter((number) => !numbers.has(number))
  const seen = new Set<number>()
  const doubled = stored.filter(({ number }) => seen.size === seen.add(number).size)
  const wrong = stored.filter((message) => !isRight(message))
  return [
    ...lost.map((number) => `lost: ${String(number)}`),
    ...doubled.map((message) => `doubled: ${JSON.stringify(message)}`),
    ...wrong.map((message) => `wrong: ${JSON.stringify(message)}`),
  ]
}

/** Of the SDKs that are told with each message whose it is. */
export function isAsSent(stored: StoredMessage): boolean {
  const { number } = stored
  return isDeepStrictEqual(stored, expectedMessage(number, `person-${String(number % 40)}`))
}

/** How many messages of a page come before it says whose they are. */
const anonymousMessages = 16

/**
 * Of a page. What was sent anonymously and had no reply may be repeated once the person is known, and says
 * then whose it is.
 */
export function isAsSentBy(person: string): (stored: StoredMessage) => boolean {
  return (stored) => {
    const { number, id } = stored
    if (number >= anonymousMessages) {
      return isDeepStrictEqual(stored, expectedMessage(number, person))
    }
    const isOwner = id === person || id.startsWith('anon:')
    return isOwner && isDeepStrictEqual(stored, { number, id, name: 'bought', at: timeOf(number) })
  }
}
