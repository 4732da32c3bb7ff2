import { beforeEach, describe, expect, test } from '@jest/globals'
import { ReadModelBehind } from '../../src/application/reading/errors.js'
import type { Answer, ReadModel } from '../../src/application/reading/ports/read-model.js'
import { profileLimitIn } from '../../src/composition/profile-limit.js'

const asked: unknown[] = []
beforeEach(() => {
  asked.length = 0
})

function modelThat(
  answers: () => Promise<Answer<boolean>>,
  hasFullProfiles = true,
): Pick<ReadModel, 'ask' | 'status'> {
  return {
    // It is asked one question alone, and answers in its form.
    ask: (name, query, want) => {
      asked.push({ name, query, want })
      return answers()
    },
    status: {
      applied: { position: 1, id: 'x' },
      reached: 1,
      newest: 1,
      isBuilding: false,
      hasFullProfiles,
      logTime: 0,
      builds: 0,
      segments: undefined,
      trouble: undefined,
    },
  }
}

describe('whether a profile is full', () => {
  test.each([true, false])('is what the read model says: %s', async (value) => {
    const limit = profileLimitIn(() =>
      modelThat(() => Promise.resolve({ value, position: 1, logTime: 0 })),
    )
    expect(await limit.isFull('ada')).toBe(value)
    expect(asked).toEqual([
      { name: 'isFull', query: { externalId: 'ada' }, want: { waitMs: 0, answerMs: 100 } },
    ])
  })

  test('is not known where there is no read model', async () => {
    expect(await profileLimitIn(() => undefined).isFull('ada')).toBe(false)
  })

  test.each([new ReadModelBehind(1), new Error('the read model made a mistake')])(
    'is not known where it does not answer: %s',
    async (error) => {
      const limit = profileLimitIn(() => modelThat(() => Promise.reject(error)))
      expect(await limit.isFull('ada')).toBe(false)
    },
  )

  test('costs no question while no profile is', async () => {
    const limit = profileLimitIn(() =>
      modelThat(() => Promise.resolve({ value: true, position: 1, logTime: 0 }), false),
    )
    expect(await limit.isFull('ada')).toBe(false)
    expect(asked).toEqual([])
  })
})
