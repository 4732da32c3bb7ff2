import CustomerIo from '@customerio/cdp-analytics-node'
import RudderStack from '@rudderstack/rudder-sdk-node'
import Segment from '@segment/analytics-node'
import SegmentBefore from 'analytics-node'

const often = 60
const everyMs = 200

/** SDKs as their makers document them; only host, key and the number of retries are ours. */
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

/** Each callback is told, too. */
function errorHandler() {
  return undefined
}
