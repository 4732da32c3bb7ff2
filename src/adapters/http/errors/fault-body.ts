import { faultForms, type FaultCode, type HttpFault } from './faults.js'

/** A write, one with an Idempotency-Key (as an item of a batch may be), or a read. */
export type RequestKind = 'write' | 'keyedWrite' | 'read'

/** What a code says to a request of a kind. */
export function sentenceOf(code: FaultCode, kind: RequestKind): string {
  const { message, keyedMessage = message, readMessage = message } = faultForms[code]
  return { write: message, keyedWrite: keyedMessage, read: readMessage }[kind]
}

export function faultData(fault: HttpFault, requestId: string, kind: RequestKind) {
  const { code, details, message: own } = fault
  // A fault with a message of its own says more than its code.
  const message = own === faultForms[code].message ? sentenceOf(code, kind) : own
  return { code, message, details: [...details], request_id: requestId }
}

export function faultBody(
  fault: HttpFault,
  requestId: string,
  kind: RequestKind = 'write',
): string {
  return JSON.stringify({ status: 'error', error: faultData(fault, requestId, kind) })
}
