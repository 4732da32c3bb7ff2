/** The time of the first message, in milliseconds since 1970; one a second follows. */
const firstAt = Date.UTC(2026, 0, 5)

const kinds = ['track', 'track', 'track', 'identify', 'page', 'screen', 'group', 'alias']

/**
 * The message of a number: its kind, whose it is and when it happened. The number stands in what is
 * stored of it, so that it is found again. All kinds in their order, of 40 people if none is named.
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
