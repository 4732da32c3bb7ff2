import { expect, it } from '@jest/globals'
import { progressLines } from '../../../src/adapters/cli/show-progress.js'

function shown() {
  const lines: string[] = []
  let now = 0
  const screen = { write: (line: string) => lines.push(line) > 0 }
  const progress = progressLines(screen, 'lines', () => now)
  return { lines, progress, after: (milliseconds: number) => (now += milliseconds) }
}

it('shows a line for each tenth, with the rate and the time that is left', () => {
  const { lines, progress, after } = shown()
  progress.begin('importing')
  for (let n = 1; n <= 20; n += 1) {
    after(1_000)
    progress.done(50, n / 20)
  }
  expect(lines).toHaveLength(10)
  expect(lines[2]).toBe('importing: 30 %, 300 lines, 50 a second, 14 s left\n')
  expect(lines[9]).toBe('importing: 100 %, 1000 lines, 50 a second\n')
})

it('begins anew with each step', () => {
  const { lines, progress, after } = shown()
  progress.begin('looking')
  for (let n = 1; n <= 20; n += 1) progress.done(2, n / 20)
  expect(lines).toHaveLength(10)
  progress.begin('copying')
  progress.done(99, 0.099)
  after(1_000)
  progress.done(151, 0.25)
  expect(lines.slice(10)).toEqual(['copying: 25 %, 250 lines, 250 a second, 3 s left\n'])
})

it('shows a line now and then where nobody knows how much there is', () => {
  const { lines, progress, after } = shown()
  progress.begin('importing')
  for (let n = 1; n <= 21; n += 1) {
    after(1_000)
    progress.done(50, undefined)
  }
  expect(lines).toEqual([
    'importing: 500 lines, 50 a second\n',
    'importing: 1000 lines, 50 a second\n',
  ])
})

it('says once why it waits', () => {
  const { lines, progress } = shown()
  progress.waits('no store')
  progress.waits('no store')
  progress.waits('no service')
  expect(lines).toEqual(['waiting: no store\n', 'waiting: no service\n'])
})
