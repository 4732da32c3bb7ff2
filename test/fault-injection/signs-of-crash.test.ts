import { expect, test } from '@jest/globals'
import {
  hasGivenUp,
  hasRefusedToStart,
  signsOfCrash,
  signsOfCrashButLoss,
} from '../../fault-injection/signs-of-crash.js'

const gone = '{"level":50,"reason":"the writer thread ended","msg":"the store is gone"}'
const mistake = '{"level":50,"msg":"a mistake of ours: stopping"}'
const refusal = 'dossier: ./data/dossier.db cannot be opened'
const failed = { code: 1, signal: null }

test('that the store is gone is a sign of a crash, unless a service may lose it', () => {
  expect(signsOfCrash([gone, mistake, refusal])).toEqual([gone, mistake])
  expect(signsOfCrashButLoss([gone, mistake, refusal])).toEqual([mistake])
})

test('a service has given up when it failed, said that the store is gone, and made no mistake', () => {
  expect(hasGivenUp(failed, [gone])).toBe(true)
  expect(hasGivenUp(failed, [])).toBe(false)
  expect(hasGivenUp(failed, [gone, mistake])).toBe(false)
  expect(hasGivenUp({ code: 0, signal: null }, [gone])).toBe(false)
  expect(hasGivenUp({ code: null, signal: 'SIGABRT' }, [gone])).toBe(false)
})

test('a start is refused with 1 and a line that says why, and without a stack', () => {
  expect(hasRefusedToStart(failed, [refusal])).toBe(true)
  expect(hasRefusedToStart(failed, [])).toBe(false)
  expect(hasRefusedToStart(failed, [refusal, '    at open (file.js:1:1)'])).toBe(false)
  expect(hasRefusedToStart(failed, [refusal, mistake])).toBe(false)
  expect(hasRefusedToStart({ code: null, signal: 'SIGSEGV' }, [refusal])).toBe(false)
})
