import { expect, it } from '@jest/globals'
import { importLines } from '../../src/importing/import-progress.js'

function shown() {
  const lines: string[] = []
  let now = 0
  const progress = importLines({ write: (line: string) => lines.push(line) > 0 }, () => now)
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
