import { faultForms, type FaultCode, type HttpFault } from './faults.js'

/**
 * The kind of a request, which selects the wording of a message. `keyedWrite` is a write or a batch
 * item with an idempotency key.
 */
export type RequestKind = 'write' | 'keyedWrite' | 'read'

/** Returns the default message of an error code for this kind of request. */
export function sentenceOf(code: FaultCode, kind: RequestKind): string {
  const { message, keyedMessage = message, readMessage = message } = faultForms[code]
  return { write: message, keyedWrite: keyedMessage, read: readMessage }[kind]
}

export function faultData(fault: HttpFault, requestId: string, kind: RequestKind) {
  const { code, details, message: own } = fault
  // Keeps a message that differs from the default message, because it is more specific.
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
