import { expect, test } from '@jest/globals'
import { Registry } from 'prom-client'
import { showLag } from '../../../src/adapters/prometheus/process-metrics.js'
import { Series } from '../../../src/adapters/prometheus/series.js'
import { samplesIn } from '../../support/prometheus-text.js'

/** A measurement that saw these intervals, in milliseconds. */
class SeenIntervals {
  constructor(private seen: { readonly p99: number; readonly max: number }) {}

  get max(): number {
    return this.seen.max * 1e6
  }

  percentile(percentile: number): number {
    expect(percentile).toBe(99)
    return this.seen.p99 * 1e6
  }

  reset(): void {
    this.seen = { p99: 0, max: 0 }
  }
}

test('the lag is what is beyond the interval, since the previous scrape', async () => {
  const registry = new Registry()
  showLag(new Series(registry), new SeenIntervals({ p99: 45, max: 90 }), 0.02)
  const scrape = async () => {
    const samples = samplesIn(await registry.metrics())
    return ['p99', 'max'].map((name) => samples.get(`dossier_event_loop_lag_${name}_seconds`))
  }
  const [p99, max] = await scrape()
  expect(p99).toBeCloseTo(0.025, 9)
  expect(max).toBeCloseTo(0.07, 9)
  expect(await scrape()).toEqual([0, 0])
})
