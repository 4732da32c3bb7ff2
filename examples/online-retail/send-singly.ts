import type { HttpClient, HttpRequest } from './http-client.js'
import type { SendOnce, Write } from './write.js'

/** Each write is a request of its own. */
export function sendSingly(client: Pick<HttpClient, 'send'>): SendOnce {
  return (write, timeoutMs) => client.send(requestOf(write), timeoutMs)
}

function requestOf(write: Write): HttpRequest {
  const idempotencyKey = write.idempotency_key
  switch (write.op) {
    case 'update_entity': {
      const { external_id, set, upsert } = write
      const path = `/entities/${encodeURIComponent(external_id)}`
      return { method: 'PATCH', path, body: JSON.stringify({ set, upsert }), idempotencyKey }
    }
    case 'record_event': {
      const { op: _op, idempotency_key: _key, ...body } = write
      return { method: 'POST', path: '/events', body: JSON.stringify(body), idempotencyKey }
    }
  }
}
