import { expect, it } from '@jest/globals'
import { faultOf } from '../../../../src/adapters/http/errors/fault-of.js'
import { Refusal } from '../../../../src/application/ports/refusal.js'

it('a ledger of erasures that cannot be written is named to the caller', () => {
  expect(faultOf(new Refusal('ledger_unavailable'))).toMatchObject({
    status: 503,
    code: 'store_unavailable',
    message: expect.stringMatching(/ERASE_LEDGER writable\. Send the request again/),
  })
  expect(faultOf(new Refusal('erasure_not_in_ledger'))).toMatchObject({
    status: 504,
    code: 'outcome_unknown',
    message: expect.stringMatching(/^The erasure is recorded.*ERASE_LEDGER/),
  })
})
