import { expect } from '@jest/globals'
import type { JsonObject } from '../../src/domain/json.js'
import { RecordedDefinitions, type Definitions } from '../../src/domain/segments/definitions.js'
import {
  defineSegment,
  type DefineSegment,
  retireSegment,
  type RetireSegment,
} from '../../src/domain/segments/define-segment.js'

const now = new Date('2026-11-20T09:30:00.007Z')
const factId = 'fact'

type Asked = Partial<Omit<DefineSegment, 'key'>>

/** Returns the command that defines a segment by rule. The default rule matches every entity. */
export function byRule(key: string, rule: JsonObject = { everyone: true }, more: Asked = {}) {
  return define({ key, kind: 'rule', rule, ...more })
}

export function byHand(key: string, more: Asked = {}) {
  return define({ key, kind: 'hand', rule: undefined, ...more })
}

function define(asked: Asked & Pick<DefineSegment, 'key' | 'kind' | 'rule'>) {
  const command: DefineSegment = { factId, title: 'A title', precondition: {}, now, ...asked }
  return { decide: (definitions: Definitions) => defineSegment(definitions, command) }
}

export function retired(key: string, more: Partial<RetireSegment> = {}) {
  const command: RetireSegment = { factId, key, precondition: {}, now, ...more }
  return { decide: (definitions: Definitions) => retireSegment(definitions, command) }
}

type Command = ReturnType<typeof define> | ReturnType<typeof retired>

/** Returns the definitions after these commands. Throws when a command is refused. */
export function definitionsOf(commands: readonly Command[]): Definitions {
  const definitions = new RecordedDefinitions()
  for (const { decide } of commands) {
    const decision = decide(definitions)
    if (!('fact' in decision)) throw new Error(`not taken: ${JSON.stringify(decision)}`)
    definitions.add(decision.fact)
  }
  return definitions
}

/** Lets a test of a decision read as a sentence: given(commands).when(command).then(fact) or .refuses(reason). */
export function given(...commands: readonly Command[]) {
  const definitions = definitionsOf(commands)
  return {
    when: ({ decide }: Command) => {
      const decision = decide(definitions)
      return {
        then: (data: object) => {
          expect('fact' in decision ? decision.fact.data : decision).toMatchObject(data)
        },
        isNew: (isNew: boolean) => {
          expect(decision).toMatchObject({ outcome: 'defined', isNew })
        },
        saysNothing: () => {
          expect(decision).toMatchObject({ outcome: 'same' })
        },
        refuses: (reason: string) => {
          expect(decision).toEqual({ outcome: 'refused', reason })
        },
        finds: (...faults: readonly (readonly [path: string, code: string])[]) => {
          const found = 'violations' in decision ? decision.violations : []
          expect(found.map(({ path, code }) => [path.join('/'), code])).toEqual(faults)
        },
      }
    },
  }
}
