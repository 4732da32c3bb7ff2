import CustomerIo from '@customerio/cdp-analytics-node'
import RudderStack from '@rudderstack/rudder-sdk-node'
import Segment from '@segment/analytics-node'
import SegmentBefore from 'analytics-node'

const often = 60
const everyMs = 200

/** Creates SDKs as their documentation shows, but with our host, key, retries and logging. */
export const sdks = {
  '@segment/analytics-node': ({ url: host, key: writeKey }) =>
    new Segment.Analytics({ host, writeKey, maxRetries: often, flushInterval: everyMs }),
  'analytics-node': ({ url: host, key }) =>
    new SegmentBefore(key, { host, retryCount: often, flushInterval: everyMs, errorHandler }),
  '@rudderstack/rudder-sdk-node': ({ url: dataPlaneUrl, key }) =>
    new RudderStack(key, {
      dataPlaneUrl,
      retryCount: often,
      flushInterval: everyMs,
      logLevel: 'silly',
      errorHandler,
    }),
  '@customerio/cdp-analytics-node': ({ url: host, key: writeKey }) =>
    new CustomerIo.Analytics({ host, writeKey, maxRetries: often, flushInterval: everyMs }),
}

/** Ignores errors, because the callback of each message gets its error, too. */
function errorHandler() {
  return undefined
}
