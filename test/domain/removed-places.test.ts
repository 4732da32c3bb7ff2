import { expect, it } from '@jest/globals'
import {
  addPlaces,
  maxPlaces,
  noPlaces,
  shownPlaces,
  type RemovedPlaces,
} from '../../src/domain/removed-places.js'

const far = 1_048_576

/** Adds the positions in the order of a removal: the last positions first. */
function placesOf(positions: readonly number[], together: number): RemovedPlaces {
  let places = noPlaces
  for (let end = positions.length; end > 0; end -= together) {
    places = addPlaces(places, positions.slice(Math.max(0, end - together), end))
  }
  return places
}

it('an erasure without removed facts lists no positions', () => {
  expect(shownPlaces(addPlaces(noPlaces, []))).toEqual([])
})

it('the first and the last position are listed, and positions that are far from others', () => {
  const positions = [7, 8, 9, far, 3 * far, 3 * far + 1, 9 * far, 9 * far + 5]
  expect(shownPlaces(placesOf(positions, 3))).toEqual(
    [7, far, 3 * far + 1, 9 * far + 5].map(String),
  )
})

it.each([
  [4_000, 1, 4],
  [100_000, 200, 128],
  [100_000, 100_000, 128],
])('a sample of %d distant positions is listed, for pages of %d', (length, together, widest) => {
  const positions = Array.from({ length }, (_, index) => 5 + index * far)
  const shown = shownPlaces(placesOf(positions, together)).map(Number)
  expect(shown.length).toBeGreaterThan(maxPlaces / 2)
  expect(shown.length).toBeLessThanOrEqual(maxPlaces)
  expect([shown[0], shown.at(-1)]).toEqual([positions[0], positions.at(-1)])
  const gaps = shown.slice(1).map((place, index) => place - (shown[index] ?? 0))
  expect(Math.max(...gaps)).toBeLessThanOrEqual(widest * far)
})
