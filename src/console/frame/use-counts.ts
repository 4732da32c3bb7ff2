import { useTotals } from '../overview/use-totals.js'
import { seldomMs } from '../parts/use-answer.js'
import { useSegments } from '../parts/use-segments.js'
import { useRefusals } from '../refusals/use-refusals.js'

/** Returns the numbers of people, segments and refusals. The map's key is the first part of the page's address. */
export function useCounts(): ReadonlyMap<string, number | undefined> {
  const totals = useTotals(seldomMs)
  const segments = useSegments(seldomMs)
  const refusals = useRefusals(seldomMs)
  return new Map([
    ['people', totals.value?.people],
    ['segments', segments.value?.length],
    ['refusals', refusals.value?.items.length],
  ])
}
