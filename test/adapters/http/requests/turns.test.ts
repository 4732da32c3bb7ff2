import { setImmediate as immediate } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { Turns } from '../../../../src/adapters/http/requests/turns.js'

const longMs = 60_000

/** Works whose beginnings and ends a test decides over. */
class Works {
  readonly begun: string[] = []
  private readonly ends = new Map<string, (error?: Error) => void>()
  readonly ended: Promise<unknown>[] = []

  constructor(private readonly turns: Turns) {}

  async take(name: string, weight: number, maxWaitMs = longMs): Promise<void> {
    const work = () =>
      new Promise<string>((resolve, reject) => {
        this.begun.push(name)
        this.ends.set(name, (error) => {
          if (error === undefined) resolve(name)
          else reject(error)
        })
      })
    this.ended.push(this.turns.take(weight, maxWaitMs, work))
    await immediate()
  }

  async end(name: string, error?: Error): Promise<void> {
    this.ends.get(name)?.(error)
    await immediate()
  }
}

it('lets in what fits, and the others when there is room, first come, first served', async () => {
  const works = new Works(new Turns(10))
  await works.take('a', 6)
  await works.take('b', 4)
  await works.take('c', 5)
  await works.take('d', 1)
  expect(works.begun).toEqual(['a', 'b'])
  await works.end('b')
  expect(works.begun).toEqual(['a', 'b'])
  await works.end('a')
  expect(works.begun).toEqual(['a', 'b', 'c', 'd'])
  await Promise.all(['c', 'd'].map((name) => works.end(name)))
  expect(await Promise.all(works.ended)).toEqual(['a', 'b', 'c', 'd'])
})

it('lets in what is too heavy when it is alone', async () => {
  const works = new Works(new Turns(10))
  await works.take('small', 1)
  await works.take('heavy', 11)
  expect(works.begun).toEqual(['small'])
  await works.end('small')
  expect(works.begun).toEqual(['small', 'heavy'])
  await works.end('heavy')
})

it('gives the turn of work that fails to the next', async () => {
  const works = new Works(new Turns(10))
  await works.take('a', 10)
  await works.take('b', 10)
  const failed = expect(works.ended[0]).rejects.toThrow('no')
  await works.end('a', new Error('no'))
  await failed
  expect(works.begun).toEqual(['a', 'b'])
  await works.end('b')
})

it('lets in what has waited long enough, beside those who have a turn', async () => {
  const works = new Works(new Turns(10))
  await works.take('a', 10)
  await works.take('late', 10, 1)
  while (works.begun.length < 2) await immediate()
  await works.take('b', 10)
  await works.end('late')
  expect(works.begun).toEqual(['a', 'late'])
  await works.end('a')
  expect(works.begun).toEqual(['a', 'late', 'b'])
  await works.end('b')
  expect(await Promise.all(works.ended)).toEqual(['a', 'late', 'b'])
})

it('lets in what fits when the one before it has waited long enough', async () => {
  const works = new Works(new Turns(10))
  await works.take('a', 6)
  const late = works.take('late', 5, 1)
  await works.take('small', 4)
  await late
  while (works.begun.length < 3) await immediate()
  expect([...works.begun].sort()).toEqual(['a', 'late', 'small'])
  await Promise.all(['a', 'late', 'small'].map((name) => works.end(name)))
})
