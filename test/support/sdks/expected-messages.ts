import { isDeepStrictEqual } from 'node:util'
import type { StoredMessage } from './stored-messages.js'

const kinds = ['bought', 'bought', 'bought', 'identify', 'page', 'screen', 'group', 'alias']
const firstAt = Date.UTC(2026, 0, 5)

/** Returns the expected stored message with this number. `test/sdks/messages.js` generates the sent message. */
function expectedMessage(number: number, id: string): StoredMessage {
  const name = kinds[number % kinds.length] ?? ''
  const at = name === 'identify' ? undefined : timeOf(number)
  return { number, id, name, at }
}

function timeOf(number: number): string {
  return new Date(firstAt + number * 1_000).toISOString()
}

/** Returns the delivered messages that are missing, stored twice, or stored wrongly. */
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

/** Returns whether a message is stored as sent. Use it for SDKs that put the user id into each message. */
export function isAsSent(stored: StoredMessage): boolean {
  const { number } = stored
  return isDeepStrictEqual(stored, expectedMessage(number, `person-${String(number % 40)}`))
}

/** The number of messages that a page sends before it identifies the user. */
const anonymousMessages = 16

/**
 * Returns a check for messages of a page. An anonymous message that got no reply may be repeated after the user was
 * identified. It then has the user's id.
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
