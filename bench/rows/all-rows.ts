import { dictionary } from './dictionary.js'
import { dossierAgainstItself } from './dossier-against-itself.js'
import { dossierAgainstPeers } from './dossier-against-peer.js'
import { eventsBesideLists } from './events-beside-lists.js'
import { eventStoreDb } from './eventstoredb.js'
import { lag } from './lag.js'
import { readingAgainstPeers } from './reading-against-peer.js'
import { rebuild } from './rebuild.js'
import type { Row } from './row.js'
import { segmentsFact } from './segments-fact.js'

/** All rows in the order in which they run. Add new rows here. */
export const allRows: readonly Row[] = [
  ...dossierAgainstPeers,
  ...dossierAgainstItself,
  ...readingAgainstPeers,
  eventsBesideLists,
  lag,
  eventStoreDb,
  rebuild,
  segmentsFact,
  dictionary,
]
