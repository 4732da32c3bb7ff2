import { postBatch } from './batch.js'
import { dictionaryReads } from './dictionary.js'
import { entityWrites } from './entities.js'
import { listEntities } from './entity-list.js'
import { membershipReads } from './entity-segments.js'
import { erasureRoutes } from './erasures.js'
import { evaluateRule } from './evaluate.js'
import { postEvent } from './events.js'
import { readFacts } from './facts.js'
import { memberWrites } from './hand-members.js'
import { liveHealth, readsHealth, readyHealth, metrics } from './health.js'
import { getHistory } from './history.js'
import { openApi } from './open-api.js'
import { previewRule } from './preview.js'
import { getProfile } from './profile.js'
import { getKey, getRefusals, getStatus } from './process.js'
import type { ReadParts } from './route-parts.js'
import type { Route } from './route.js'
import { searchEntities } from './search.js'
import { segmentChangeReads } from './segment-changes.js'
import { segmentWrites } from './segment-definitions.js'
import { listMembers } from './segment-members.js'
import { segmentReads } from './segments.js'
import { webhookRoutes } from './webhooks.js'
import { getTimeline } from './timeline.js'
import { deleteEvent } from './void-event.js'

/**
 * All endpoints. Each route is one declaration (`route.ts`) that contains its path, the zod schemas
 * of query, body and reply, its faults, and the function that answers. `declared-read.ts` declares
 * reads of the read model, `declared-write.ts` declares writes, and `declared-open.ts` declares
 * routes about the process. `operations.ts` describes each route, and `open-api.ts` builds the
 * document. `schemas.ts` and `*-schemas.ts` contain shared schemas.
 */
export const routes: readonly Route[] = [
  ...entityWrites,
  postEvent,
  postBatch,
  ...segmentWrites,
  ...memberWrites,
  ...erasureRoutes,
  ...webhookRoutes,
  liveHealth,
  readyHealth,
  metrics,
  openApi,
  getKey,
  getRefusals,
  getStatus,
]

/**
 * The additional routes of a process with a read model. They include the void of an event, which
 * finds the event in the read model.
 */
export const readRoutes: readonly Route<ReadParts>[] = [
  getProfile,
  listEntities,
  searchEntities,
  ...dictionaryReads,
  getTimeline,
  deleteEvent,
  getHistory,
  readFacts,
  ...segmentReads,
  listMembers,
  ...segmentChangeReads,
  ...membershipReads,
  evaluateRule,
  previewRule,
  readsHealth,
]
