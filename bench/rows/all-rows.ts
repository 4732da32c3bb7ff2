import { client } from './client.js'
import { dossierAgainstItself } from './dossier-against-itself.js'
import { dossierAgainstPeers } from './dossier-against-peer.js'
import { eraseBesideWrites } from './erase-beside-writes.js'
import { eventsBesideLists } from './events-beside-lists.js'
import { eventStoreDb } from './eventstoredb.js'
import { foundEntities } from './found-entities.js'
import { fullFile } from './full-file.js'
import { lag } from './lag.js'
import { memoryOverTime } from './memory-over-time.js'
import { previewBesideWrites } from './preview-beside-writes.js'
import { readingAgainstPeers } from './reading-against-peer.js'
import { rebuild } from './rebuild.js'
import { segmentsBuild } from './segments-build.js'
import { segmentsFact } from './segments-fact.js'
import { segmentsLag } from './segments-lag.js'
import { segmentsMidnight } from './segments-midnight.js'
import { segmentsChanging } from './segments-changing.js'
import { segmentsLateness } from './segments-lateness.js'
import { segmentsSql } from './segments-sql.js'
import { segmentsPublishing } from './segments-publishing.js'
import type { Row } from './row.js'

/** Every row, in the order in which they are run; a new one is added here. */
export const allRows: readonly Row[] = [
  ...dossierAgainstPeers,
  ...dossierAgainstItself,
  ...readingAgainstPeers,
  previewBesideWrites,
  eraseBesideWrites,
  eventsBesideLists,
  lag,
  eventStoreDb,
  client,
  ...fullFile,
  rebuild,
  ...foundEntities,
  segmentsFact,
  segmentsBuild,
  segmentsMidnight,
  segmentsLag,
  segmentsLateness,
  segmentsChanging,
  ...segmentsPublishing,
  segmentsSql,
  memoryOverTime,
]
