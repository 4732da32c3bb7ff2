import type { RefusalCode } from '../../../application/ports/refusal.js'
import { faultCodes, type FaultCode } from './faults.js'

/** The faults of the refusal codes that are not fault codes themselves. */
const otherwise: Partial<Record<RefusalCode, { code: FaultCode; message?: string }>> = {
  entity_removed: {
    code: 'entity_exists',
    message: 'The entity with this external_id was removed permanently. Use another external_id.',
  },
  no_read_model: {
    code: 'route_not_found',
    message:
      'READ_MODEL is off in this process, so it cannot find the event. Nothing was stored. Ask another replica.',
  },
  voids_off: {
    code: 'not_ready',
    message:
      'Voiding is off in this process, because other replicas may not know voids. Its operator must set VOID=on when ' +
      'all replicas run this version. Nothing was stored.',
  },
  ledger_unavailable: {
    code: 'store_unavailable',
    message:
      'The ledger of erasures cannot be written, so this request erased and stored nothing. Its operator must make the ' +
      'file of ERASE_LEDGER writable. Send the request again later.',
  },
  erasure_not_in_ledger: {
    code: 'outcome_unknown',
    message:
      'The erasure is recorded, but the ledger of erasures cannot be written, so the entity is not erased yet. The ' +
      'service continues as soon as its operator makes the file of ERASE_LEDGER writable. Sending the request again is safe.',
  },
  entity_not_there_then: {
    code: 'entity_not_found',
    message:
      'No entity had this external_id at that time. Send a later as_of or known_at. A read ' +
      'without them shows whether the entity exists now.',
  },
}

/**
 * Returns the fault of a refusal code. Returns an internal error for a code that a use case should
 * have handled.
 */
export function faultOfRefusal(code: RefusalCode): { code: FaultCode; message?: string } {
  return otherwise[code] ?? { code: isFaultCode(code) ? code : 'internal_error' }
}

function isFaultCode(code: string): code is FaultCode {
  return faultCodes.includes(code)
}
