import { faultForms, type HttpFault } from './faults.js'

/** A write, one with an Idempotency-Key (as an item of a batch may be), or a read. */
export type RequestKind = 'write' | 'keyedWrite' | 'read'

export function faultData(fault: HttpFault, requestId: string, kind: RequestKind) {
  const { code, details } = fault
  const message = messageOf(fault, kind)
  return { code, message, details: [...details], request_id: requestId }
}

function messageOf({ code, message }: HttpFault, kind: RequestKind): string {
  const form = faultForms[code]
  switch (kind) {
    case 'write':
      return message
    case 'keyedWrite':
      return form.keyedMessage ?? message
    case 'read':
      // A fault with a message of its own says more than its form.
      return message === form.message ? (form.readMessage ?? message) : message
  }
}

export function faultBody(
  fault: HttpFault,
  requestId: string,
  kind: RequestKind = 'write',
): string {
  return JSON.stringify({ status: 'error', error: faultData(fault, requestId, kind) })
}
