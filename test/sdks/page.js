import { AnalyticsBrowser } from '@segment/analytics-next'
import { messageOf } from './messages.js'

// A page that sends messages. The user is anonymous for the first 16 messages, and then identified as `person`:
// /?key=…&host=…&person=…&messages=…&strategy=standard|batching
const query = new URLSearchParams(location.search)
const [key, host, person, messages, strategy] = [
  'key',
  'host',
  'person',
  'messages',
  'strategy',
].map((name) => query.get(name) ?? '')
const anonymous = 16

const deliveryStrategy =
  strategy === 'batching' ? { strategy, config: { size: 25, timeout: 200, maxRetries: 60 } } : {}
const analytics = await loaded()
for (let number = 0; number < Number(messages); number += 1) {
  if (number === anonymous) void analytics.identify(person)
  if (number < anonymous) sendAnonymously(number)
  else send(number)
  if (number % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Loads the SDK. Retries when its settings do not arrive, like a user who reloads the page. */
async function loaded() {
  for (;;) {
    const options = { integrations: { 'Segment.io': { deliveryStrategy } } }
    const loading = AnalyticsBrowser.load({ writeKey: key, cdnURL: host }, options)
    const [one] = await loading.catch(() => [])
    if (one !== undefined) return one
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Sends a `track` message without a user id. The other kinds of messages need a known user. */
function sendAnonymously(number) {
  const { message } = messageOf(number - (number % 8))
  const { timestamp } = messageOf(number).message
  void analytics.track(message.event, { n: number }, { timestamp })
}

function send(number) {
  const { type, message } = messageOf(number, person)
  const { userId, event, name, category, properties, traits, groupId, previousId } = message
  const options = { timestamp: message.timestamp }
  switch (type) {
    case 'identify':
      return analytics.identify(userId, traits, options)
    case 'page':
    case 'screen':
      return analytics[type](category, name, properties, options)
    case 'group':
      return analytics.group(groupId, traits, options)
    case 'alias':
      return analytics.alias(userId, previousId, options)
    default:
      return analytics.track(event, properties, options)
  }
}
