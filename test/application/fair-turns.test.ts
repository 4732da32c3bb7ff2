import { setImmediate as immediate } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { FairTurns } from '../../src/application/fair-turns.js'
import type { InPieces } from '../../src/domain/in-pieces.js'

/** Turns on a clock that each step moves by one millisecond. A turn of the event loop ends when the test says so. */
class Bench {
  /** The owners of the steps in each turn. */
  readonly turns: string[][] = [[]]
  private now = 0
  private endTurn: (() => void) | undefined
  private readonly fair = new FairTurns(
    () => this.now,
    () =>
      new Promise<void>((resolve) => {
        this.endTurn = resolve
      }),
  )

  run(owner: string, steps: number): Promise<string> {
    return this.fair.run(owner, this.work(owner, steps))
  }

  /** Uses the thread for one step. */
  async step(owner: string): Promise<void> {
    await this.fair.begin(owner, () => {
      this.count(owner)
    })
  }

  async next(): Promise<void> {
    this.turns.push([])
    this.endTurn?.()
    await immediate()
  }

  private *work(owner: string, steps: number): InPieces<string> {
    for (let left = steps; left > 0; left -= 1) {
      this.count(owner)
      yield
    }
    return owner
  }

  private count(owner: string): void {
    this.turns.at(-1)?.push(owner)
    this.now += 1
  }
}

const five = (owner: string) => Array<string>(5).fill(owner)

describe('turns on a thread', () => {
  it('end after some milliseconds, however much work there is', async () => {
    const bench = new Bench()
    const all = Promise.all([bench.run('a', 7), bench.run('a', 3)])
    await immediate()
    expect(bench.turns).toEqual([five('a')])
    await bench.next()
    expect(bench.turns).toEqual([five('a'), five('a')])
    await bench.next()
    expect(await all).toEqual(['a', 'a'])
  })

  it('alternate, so that an owner with much work gets only every other turn while another owner has work', async () => {
    const bench = new Bench()
    const much = Array.from({ length: 20 }, () => bench.run('many', 50))
    const other = bench.run('other', 10)
    for (let turn = 0; turn < 8; turn += 1) await bench.next()
    expect(await other).toBe('other')
    expect(bench.turns.filter(([owner]) => owner === 'other')).toHaveLength(2)
    while (bench.turns.length < 210) await bench.next()
    expect(await Promise.all(much)).toHaveLength(20)
  })

  it('also count work that is done step by step', async () => {
    const bench = new Bench()
    const all = Promise.all(Array.from({ length: 12 }, () => bench.step('a')))
    await immediate()
    expect(bench.turns).toEqual([five('a')])
    await bench.next()
    await bench.next()
    await all
    expect(bench.turns.map((steps) => steps.length)).toEqual([5, 5, 2])
  })

  it('do not delay short work while there is time', () => {
    const bench = new Bench()
    void bench.run('a', 2)
    void bench.run('b', 2)
    expect(bench.turns).toEqual([['a', 'a', 'b', 'b']])
  })

  it('pass to the next owner after work that fails', async () => {
    const fair = new FairTurns()
    const failing = function* (): InPieces<void> {
      yield
      throw new Error('no')
    }
    await expect(fair.run('a', failing())).rejects.toThrow('no')
    expect(await fair.begin('a', () => 'begun')).toBe('begun')
  })
})
