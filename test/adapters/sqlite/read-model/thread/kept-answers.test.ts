import { expect, it } from '@jest/globals'
import { KeptAnswers } from '../../../../../src/adapters/sqlite/read-model/thread/kept-answers.js'

function keptAnswers() {
  return new KeptAnswers<string, string>((externalId) => externalId)
}

const answer = (value: string, position: number) => ({ value, position, logTime: position * 10 })

it('a kept answer has the latest known position, and never an earlier one than its own', () => {
  const kept = keptAnswers()
  kept.reached(5, 50)
  kept.keep('ada', answer('profile', 7), 7)
  expect(kept.get('ada')).toEqual(answer('profile', 7))
  kept.reached(9, 90)
  kept.reached(8, 80)
  expect(kept.get('ada')).toEqual(answer('profile', 9))
})

it('a changed answer is dropped, and the others stay', () => {
  const kept = keptAnswers()
  for (const name of ['ada', 'bob', 'eve']) kept.keep(name, answer(name, 1), 3)
  kept.changed(['ada', 'nobody'])
  expect(['ada', 'bob', 'eve'].map((name) => kept.get(name)?.value)).toEqual([
    undefined,
    'bob',
    'eve',
  ])
})

it('when all answers have changed, the known position is dropped as well, because it may have gone back', () => {
  const kept = keptAnswers()
  kept.keep('ada', answer('profile', 7), 7)
  kept.reached(9, 90)
  kept.changed('all')
  expect(kept.get('ada')).toBeUndefined()
  kept.keep('ada', answer('profile', 3), 7)
  expect(kept.get('ada')).toEqual(answer('profile', 3))
})

it('the kept answers are bounded: the oldest are dropped first', () => {
  const kept = keptAnswers()
  const names = Array.from({ length: 40 }, (_, n) => `entity ${String(n)}`)
  for (const name of names) kept.keep(name, answer(name, 1), 1_048_576)
  const left = names.filter((name) => kept.get(name) !== undefined)
  expect(left).toEqual(names.slice(-15))
})

it('an answer that replaces another counts once', () => {
  const kept = keptAnswers()
  kept.keep('bob', answer('bob', 1), 1_048_576)
  for (let n = 0; n < 100; n += 1) kept.keep('ada', answer('ada', n), 1_048_576)
  expect(kept.get('bob')?.value).toBe('bob')
})
