/**
 * The time of the first message, in milliseconds since 1970. Each further message is one second
 * later.
 */
const firstAt = Date.UTC(2026, 0, 5)

const kinds = ['track', 'track', 'track', 'identify', 'page', 'screen', 'group', 'alias']

/**
 * Returns the message with this number. The number decides its kind, its time, and without `userId`
 * also its person, one of 40. The stored fact contains the number, so that tests find the message.
 */
export function messageOf(number, userId = `person-${number % 40}`) {
  const type = kinds[number % kinds.length]
  const marked = { n: number }
  const base = { userId, timestamp: new Date(firstAt + number * 1_000) }
  switch (type) {
    case 'identify':
      return { type, message: { ...base, traits: marked } }
    case 'page':
    case 'screen':
      return { type, message: { ...base, name: 'Cart', category: 'Shop', properties: marked } }
    case 'group':
      return { type, message: { ...base, groupId: 'acme', traits: marked } }
    case 'alias':
      return { type, message: { ...base, previousId: `n:${number}` } }
    default:
      return { type, message: { ...base, event: 'bought', properties: marked } }
  }
}
