import type { ServiceStatus } from '../../client/dossier.js'
import { counted } from '../parts/numbers.js'

export interface HealthWords {
  readonly tone: 'good' | 'warn' | 'bad'
  readonly words: string
}

const storeWords: Readonly<Record<ServiceStatus['store'], string>> = {
  ready: '',
  store_unavailable: 'Writes fail: the store cannot be reached',
  clock_untrusted: 'Writes are refused: the clock of the machine is wrong',
  shutting_down: 'The service is stopping',
}

/** The lag of reads at which the page begins to warn, in positions. */
export const toleratedLag = 1_000

/** Returns the most serious problem of the service, or says that everything is up to date. */
export function healthOf(status: ServiceStatus): HealthWords {
  const { store, reads, lag_positions: lag, segments } = status
  if (store !== 'ready') return { tone: 'bad', words: storeWords[store] }
  if (reads === 'stalled') return { tone: 'bad', words: 'Reads have stopped: see the log' }
  if (segments !== null && segments.diverged > 0)
    return { tone: 'bad', words: `${counted(segments.diverged, 'segment')} must be rebuilt` }
  if (reads === 'building') return { tone: 'warn', words: 'Reads are being prepared' }
  if (reads === 'off') return { tone: 'good', words: 'Writes work; this process has no reads' }
  if (lag !== null && lag > toleratedLag)
    return { tone: 'warn', words: `Reads are ${counted(lag, 'position')} behind` }
  return { tone: 'good', words: 'Everything is up to date' }
}
