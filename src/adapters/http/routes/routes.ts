import { postBatch } from './batch.js'
import { patchEntity, postEntity } from './entities.js'
import { listEntities } from './entity-list.js'
import { explainSegment, getEntitySegments } from './entity-segments.js'
import { evaluateRule } from './evaluate.js'
import { postEvent } from './events.js'
import { readFacts } from './facts.js'
import { deleteMember, putMember } from './hand-members.js'
import { liveHealth, readsHealth, readyHealth } from './health.js'
import { getHistory } from './history.js'
import { metrics } from './metrics.js'
import { openApi } from './open-api.js'
import { getProfile } from './profile.js'
import { getKey, getRefusals, getStatus } from './process.js'
import type { ReadParts } from './route-parts.js'
import type { Route } from './route.js'
import { defineSegment, retireSegment } from './segment-definitions.js'
import { listMembers } from './segment-members.js'
import { getSegment, listSegments, listSegmentVersions } from './segments.js'
import { getTimeline } from './timeline.js'

/** What is served by every process. */
export const routes: readonly Route[] = [
  postEntity,
  patchEntity,
  postEvent,
  postBatch,
  defineSegment,
  retireSegment,
  putMember,
  deleteMember,
  liveHealth,
  readyHealth,
  metrics,
  openApi,
  getKey,
  getRefusals,
  getStatus,
]

/** What is served by a process that has a read model. */
export const readRoutes: readonly Route<ReadParts>[] = [
  getProfile,
  listEntities,
  getTimeline,
  getHistory,
  readFacts,
  listSegments,
  getSegment,
  listSegmentVersions,
  listMembers,
  getEntitySegments,
  explainSegment,
  evaluateRule,
  readsHealth,
]
