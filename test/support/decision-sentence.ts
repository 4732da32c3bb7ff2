import { expect } from '@jest/globals'
import type { AnyFact, Decision, Expected } from '../../src/domain/facts.js'

/** Lets a test of a decision read as a sentence: when(command).then(expected, facts). */
export function deciding<C, F extends AnyFact>(decide: (command: C) => Decision<F>) {
  return (command: C) => ({
    then: (expected: Expected, facts: readonly F[]) => {
      const decision = decide(command)
      expect({ expected: decision.expected, facts: decision.facts }).toEqual({ expected, facts })
    },
  })
}
